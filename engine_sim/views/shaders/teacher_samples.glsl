// The samples of a pixel, and which of them lie on one surface.

#ifdef MULTISAMPLED
uniform usampler2DMS seen;
#else
uniform usampler2D seen;
#endif

// Where the samples lie in a pixel: the pattern of four is the same on every card.
#if PER_PIXEL == 4
const vec2 PLACES[4] = vec2[4](vec2(0.375, 0.125), vec2(0.875, 0.375), vec2(0.125, 0.625), vec2(0.625, 0.875));
#else
const vec2 PLACES[8] = vec2[8](vec2(0.5), vec2(0.5), vec2(0.5), vec2(0.5), vec2(0.5), vec2(0.5), vec2(0.5), vec2(0.5));
#endif

// A surface in a pixel: one of its triangles, the middle of all samples (xy) and of those of this triangle (zw), how many
// these are, and the share of the pixel that the surface covers.
struct Part { uvec4 words; vec4 middle; float own; float share; };

vec3 rough_normal(uint word) { return vec3((uvec3(word) >> uvec3(16, 8, 0)) & 255u) - 128.0; }

// Whether two samples may take one colour: the same triangle, or neighbours on a smooth surface.
bool together(uvec4 a, uvec4 b) {
    bool joined = a.y == b.y && a.w >> 24 == b.w >> 24 && a.x > 0u && b.x > 0u;
    float x = uintBitsToFloat(a.z), y = uintBitsToFloat(b.z);
    bool smooth_over = abs(x - y) < 0.1 * min(x, y) && dot(rough_normal(a.w), rough_normal(b.w)) > 0.96 * 127.0 * 127.0;
    return a.x == b.x && a.y == b.y || joined && smooth_over;
}

void take(inout Part part, uvec4 words, vec2 place) {
    float same = part.words.x == words.x && part.words.y == words.y ? 1.0 : 0.0;
    part.middle += vec4(place, place * same);
    part.own += same;
    part.share += 1.0;
}

// At most three parts of a pixel, in the order of their first samples; share 0 for those that are not there.
void parts_of(ivec2 at, out Part parts[3]) {
    for (int k = 0; k < 3; ++k) parts[k] = Part(uvec4(0u), vec4(0.0), 0.0, 0.0);
    int found = 0;
    for (int i = 0; i < PER_PIXEL; ++i) {
        uvec4 words = texelFetch(seen, at, i);
        if (found > 0 && together(parts[0].words, words)) take(parts[0], words, PLACES[i]);
        else if (found > 1 && together(parts[1].words, words)) take(parts[1], words, PLACES[i]);
        else if (found > 2) take(parts[2], words, PLACES[i]);
        else {
            Part part = Part(words, PLACES[i].xyxy, 1.0, 1.0);
            if (found == 0) parts[0] = part;
            else if (found == 1) parts[1] = part;
            else parts[2] = part;
            ++found;
        }
    }
    for (int k = 0; k < 3; ++k) {
        parts[k].middle /= max(vec4(parts[k].share, parts[k].share, parts[k].own, parts[k].own), 1.0);
        parts[k].share /= float(PER_PIXEL);
    }
}
