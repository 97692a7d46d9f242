// Glow around bright things: a quarter-size picture of what is brighter than white, blurred along one axis at a time.

uniform sampler2D picture;
uniform vec4 pass_state;  // step in texture coordinates; z 1: pick bright parts; w 1: only average 2 × 2

in vec2 corner;
out vec4 target;

vec3 bright(vec3 stored) {
    float top = max(stored.r, max(stored.g, stored.b));
    vec3 color = stored / max(1.0 - top, 0.016);
    return color * smoothstep(0.9, 2.4, max(color.r, max(color.g, color.b)));
}

void main() {
    vec2 at = vec2(corner.x, -corner.y) * 0.5 + 0.5;
    vec3 sum = vec3(0.0);
    if (pass_state.w > 0.5) {
        sum = texture(picture, at).rgb;
    } else if (pass_state.z > 0.5) {
        vec2 o = pass_state.xy;
        for (int y = -1; y <= 1; y += 2) for (int x = -1; x <= 1; x += 2)
            sum += bright(texture(picture, at + o * vec2(x, y)).rgb) * 0.25;
    } else {
        for (int i = -6; i <= 6; ++i) sum += texture(picture, at + pass_state.xy * float(i)).rgb * exp(-float(i * i) / 14.0);
        sum /= 6.63;
    }
    target = vec4(sum, 1.0);
}
