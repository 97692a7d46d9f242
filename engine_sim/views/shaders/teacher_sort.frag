// Software GL, first pass: writes one part of every pixel, and its family as the depth. Three copies of the picture lie one
// above the other, for the first, second and third parts. A program of one family then paints where the depth is its own.

out uvec4 part;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    int height = int(frame_size.y), layer = at.y / height;
    at.y -= layer * height;
    Part parts[3];
    parts_of(at, parts);
    Part own = layer == 0 ? parts[0] : (layer == 1 ? parts[1] : parts[2]);
    uint kind = own.words.w >> 24;
    int family = own.share == 0.0 ? NOTHING : (own.words.x == 0u ? 0 : FAMILY_OF[kind]);
    part = uvec4(own.words.xy, packUnorm4x8(own.middle), kind << 24 | uint(own.share * 255.0 + 0.5));
    gl_FragDepth = float(family) / 16.0;
}
