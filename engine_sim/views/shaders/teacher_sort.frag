// Software GL, first pass: writes one part of every pixel, and its family as the depth. Copies of the picture lie one above
// the other, for first and further parts. A program of one family then paints where the depth is its own.

out uvec4 part;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    int height = int(frame_size.y), layer = at.y / height;
    at.y -= layer * height;
    Part parts[3];
    parts_of(at, parts);
    Part own = layer == 0 ? parts[0] : (layer == 1 ? parts[1] : parts[2]);
    uint triangle = triangle_of(own.words);
    int kind = material_of(own.words), family = own.share == 0.0 ? NOTHING : (triangle == 0u ? 0 : FAMILY_OF[kind]);
    part = uvec4(triangle, record_of(own.words), packUnorm4x8(own.middle), kind << 8 | int(own.share * 255.0 + 0.5));
    gl_FragDepth = float(family) / 16.0;
}
