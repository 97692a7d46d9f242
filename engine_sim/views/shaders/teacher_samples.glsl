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

// The words of a sample, as the first pass packs them: triangle + 1 (0: none), record, material.
uint triangle_of(uvec2 words) { return words.x >> 10; }
uint record_of(uvec2 words) { return words.y >> 15; }
int material_of(uvec2 words) { return int((words.y >> 9) & 63u); }

// A surface in a pixel: one of its triangles, the middle of all samples (xy) and of those of this triangle (zw), how many
// these are, and the share of the pixel that the surface covers.
struct Part { uvec2 words; vec4 middle; float own; float share; };

vec3 rough_normal(uint word) {
    vec2 p = (vec2(uvec2(word >> 5, word) & 31u) - 15.5) / 15.5;
    vec3 n = vec3(p, 1.0 - abs(p.x) - abs(p.y));
    n.xy -= vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0) * max(-n.z, 0.0);
    return normalize(n);
}

bool one_triangle(uvec2 a, uvec2 b) { return (a.x ^ b.x) >> 10 == 0u && (a.y ^ b.y) >> 15 == 0u; }

// Whether two samples may take one colour: the same triangle, or neighbours on a smooth surface, a tenth apart at most.
bool together(uvec2 a, uvec2 b) {
    if (one_triangle(a, b)) return true;
    if ((a.y ^ b.y) >> 9 != 0u || a.x == 0u || b.x == 0u || abs(int(a.y & 511u) - int(b.y & 511u)) > 4) return false;
    return dot(rough_normal(a.x), rough_normal(b.x)) > 0.955;
}

void take(inout Part part, uvec2 words, vec2 place) {
    float same = one_triangle(part.words, words) ? 1.0 : 0.0;
    part.middle += vec4(place, place * same);
    part.own += same;
    part.share += 1.0;
}

// The parts of a pixel, in the order of their first samples, and how many there are: at most three. Share 0 in the others.
int parts_of(ivec2 at, out Part parts[3]) {
    for (int k = 0; k < 3; ++k) parts[k] = Part(uvec2(0u), vec4(0.0), 0.0, 0.0);
    int found = 0;
    for (int i = 0; i < PER_PIXEL; ++i) {
        uvec2 words = texelFetch(seen, at, i).xy;
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
    return found;
}
