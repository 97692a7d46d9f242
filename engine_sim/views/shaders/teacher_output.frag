// The one place where linear light becomes a picture: glow, filmic curve, grade, sRGB. The target's RGBA texels hold the
// rows of the RGB picture byte by byte, top row first, so that memory is read as it is.

uniform sampler2D picture;
uniform sampler2D glow;

out vec4 target;

// Fit of the ACES reference and output transform by Stephen Hill: sRGB in, sRGB primaries out.
vec3 filmic(vec3 c) {
    c = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777) * c;
    c = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081);
    return clamp(mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602) * c, 0.0, 1.0);
}

vec3 graded(vec3 c) {
    float grey = brightness(c);
    c = mix(vec3(grey), c, grade.y);
    c *= mix(grade_shadow.rgb, grade_light.rgb, smoothstep(0.02, 0.7, grey));
    return 0.18 * pow(max(c, vec3(0.0)) / 0.18, vec3(grade.x));
}

vec3 encoded(vec3 c) { return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-5)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

vec3 pixel(int index) {
    int width = int(frame_size.x);
    ivec2 at = ivec2(index % width, index / width);
    vec3 stored = texelFetch(picture, at, 0).rgb;
    vec3 color = stored / max(1.0 - max(stored.r, max(stored.g, stored.b)), 0.0165);
    vec2 uv = (vec2(at) + 0.5) / frame_size.xy;
    color += texture(glow, uv).rgb * grade.z;
    vec2 off = uv - 0.5;
    color *= 1.0 - grade.w * dot(off, off);
    return encoded(filmic(graded(color) * 1.75));
}

void main() {
    int width = int(frame_size.x) * 3 / 4;
    int first = (int(gl_FragCoord.y) * width + int(gl_FragCoord.x)) * 4;
    vec3 a = pixel(first / 3), b = pixel(first / 3 + 1);
    int skip = first % 3;
    target = skip == 0 ? vec4(a, b.r) : (skip == 1 ? vec4(a.gb, b.rg) : vec4(a.b, b));
}
