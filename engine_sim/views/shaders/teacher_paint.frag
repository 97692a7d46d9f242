// Software GL, second pass: the parts of one family, each weighted by its share of the pixel.

uniform usampler2D parts;
out vec4 target;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    uvec4 part = texelFetch(parts, at, 0);
    vec4 places = vec2(at.x, at.y % int(frame_size.y)).xyxy + unpackUnorm4x8(part.z);
    target = vec4(float(part.w & 255u) / 255.0 * stored(painted(part.x, part.y, int(part.w >> 8), places.xy, places.zw)), 1.0);
}
