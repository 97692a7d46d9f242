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
struct Part { uvec2 words; vec4 middle; float own; float share; };

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

#ifdef ONE_WORD
layout(std430, binding = 4) readonly buffer Rows { uvec2 rows[]; };  // record, first triangle

// Triangle, record and material of a number that the first pass wrote: row, then triangle within it; nothing for 0.
uvec2 words_of(uint number) {
    if (number == 0u) return uvec2(0u);
    uvec2 row = rows[number >> TRIANGLE_BITS];
    uint triangle = row.y + (number & ((1u << TRIANGLE_BITS) - 1u));
    uint surface = corners[corner_numbers[triangle * 3u + 2u] * 9u + 8u];
    return uvec2((triangle + 1u) << 10, row.x << 15 | ((surface >> 8) & 63u) << 9);
}

// The same words with what is needed to compare them: the normal of the last corner, which flat values are taken from, and
// the distance at which the middle of the pixel meets the triangle's plane.
uvec2 comparable(uvec2 words, ivec2 at) {
    if (words.x == 0u) return words;
    uint first = (triangle_of(words) - 1u) * 3u, r = record_of(words) * 18u;
    uvec3 c = uvec3(corner_numbers[first], corner_numbers[first + 1u], corner_numbers[first + 2u]) * 9u;
    mat3 rotation = mat3(record3(r), record3(r + 3u), record3(r + 6u));
    vec3 scale = record3(r + 12u), corner = corner3(c.x);
    vec3 to = (scale * corner) * rotation + (record3(r + 9u) - eye_at.xyz);
    vec3 n = cross((scale * (corner3(c.y) - corner)) * rotation, (scale * (corner3(c.z) - corner)) * rotation);
    float away = dot(to, n), facing = dot(ray_at(vec2(at) + 0.5), n);
    // Beside a triangle seen from its side, its plane may lie behind the eye: as far as can be.
    float nearness = facing * away > 0.0 ? facing / away : 1e-9;
    return words | uvec2(rough((corner3(c.z + 3u) / scale) * rotation), rough_distance(nearness));
}
#endif

// The parts of a pixel, in the order of their first samples, and how many there are: at most three. Share 0 in the others.
int parts_of(ivec2 at, out Part parts[3]) {
    for (int k = 0; k < 3; ++k) parts[k] = Part(uvec2(0u), vec4(0.0), 0.0, 0.0);
    int found = 0;
#ifdef ONE_WORD
    uint last = texelFetch(seen, at, 0).x;
    uvec2 words = words_of(last);
    bool alone = true;
    for (int i = 1; i < PER_PIXEL; ++i) alone = alone && texelFetch(seen, at, i).x == last;
    if (alone) {  // most pixels: nothing to compare, and the samples lie around the middle
        parts[0] = Part(words, vec4(0.5), 1.0, 1.0);
        return 1;
    }
    words = comparable(words, at);
#endif
    for (int i = 0; i < PER_PIXEL; ++i) {
#ifdef ONE_WORD
        uint number = texelFetch(seen, at, i).x;
        if (number != last) words = comparable(words_of(number), at);
        last = number;
#else
        uvec2 words = texelFetch(seen, at, i).xy;
#endif
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
