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

// A triangle seen in a pixel, the share of the pixel that its surface covers, and the middle of that share.
struct Part { uvec4 words; vec2 middle; float share; };

vec3 rough_normal(uint word) { return vec3((uvec3(word) >> uvec3(16, 8, 0)) & 255u) - 128.0; }

// Whether two samples may take one colour: the same triangle, or neighbours on a smooth surface.
bool together(uvec4 a, uvec4 b) {
    bool joined = a.y == b.y && a.w >> 24 == b.w >> 24 && a.x > 0u && b.x > 0u;
    float x = uintBitsToFloat(a.z), y = uintBitsToFloat(b.z);
    bool smooth_over = abs(x - y) < 0.1 * min(x, y) && dot(rough_normal(a.w), rough_normal(b.w)) > 0.96 * 127.0 * 127.0;
    return a.x == b.x && a.y == b.y || joined && smooth_over;
}

// At most three parts of a pixel, in the order of their first samples; share 0 for those that are not there.
void parts_of(ivec2 at, out Part parts[3]) {
    for (int k = 0; k < 3; ++k) parts[k] = Part(uvec4(0u), vec2(0.0), 0.0);
    int found = 0;
    for (int i = 0; i < PER_PIXEL; ++i) {
        uvec4 words = texelFetch(seen, at, i);
        vec2 place = PLACES[i];
        bool first = found > 0 && together(parts[0].words, words);
        bool second = !first && found > 1 && together(parts[1].words, words);
        bool third = !first && !second && found > 2;
        if (first) { parts[0].middle += place; parts[0].share += 1.0; }
        else if (second) { parts[1].middle += place; parts[1].share += 1.0; }
        else if (third) { parts[2].middle += together(parts[2].words, words) ? place : parts[2].middle / parts[2].share; parts[2].share += 1.0; }
        else {
            if (found == 0) parts[0] = Part(words, place, 1.0);
            else if (found == 1) parts[1] = Part(words, place, 1.0);
            else parts[2] = Part(words, place, 1.0);
            ++found;
        }
    }
    for (int k = 0; k < 3; ++k) {
        parts[k].middle /= max(parts[k].share, 1.0);
        parts[k].share /= float(PER_PIXEL);
    }
}
