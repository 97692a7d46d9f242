// The two words that tell apart what samples see: triangle + 1 (0: none) and rough normal; record, material, rough distance.

uint triangle_of(uvec2 words) { return words.x >> 10; }
uint record_of(uvec2 words) { return words.y >> 15; }
int material_of(uvec2 words) { return int((words.y >> 9) & 63u); }

// A direction in ten bits: octahedron, five bits a side.
uint rough(vec3 n) {
    vec2 p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
    if (n.z < 0.0) p = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    uvec2 q = uvec2(p * 15.5 + 16.0);
    return q.x << 5 | q.y;
}

vec3 rough_normal(uint word) {
    vec2 p = (vec2(uvec2(word >> 5, word) & 31u) - 15.5) / 15.5;
    vec3 n = vec3(p, 1.0 - abs(p.x) - abs(p.y));
    n.xy -= vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0) * max(-n.z, 0.0);
    return normalize(n);
}

// 1 / metres along the view in nine bits: 32 steps for every doubling.
uint rough_distance(float nearness) { return uint(clamp(64.0 - 32.0 * log2(nearness), 0.0, 511.0)); }
