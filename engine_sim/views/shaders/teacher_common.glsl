// Hashes, noise and box-filtered patterns. "foot" is the size of a pixel in the units of the coordinate.

uint mixed(uint h) {
    h ^= h >> 16; h *= 0x7feb352du;
    h ^= h >> 15; h *= 0x846ca68bu;
    return h ^ (h >> 16);
}

float squared(float x) { return x * x; }

// 1 up to `from`, 0 beyond `to`, smooth in between.
float falls(float from, float to, float x) { return 1.0 - smoothstep(from, to, x); }

float unit_of(uint h) { return float(h >> 8) * (1.0 / 16777216.0); }

uint hash2(ivec2 p) { return mixed(uint(p.x) * 0x9e3779b1u ^ mixed(uint(p.y) * 0x85ebca77u + 0x27d4eb2fu)); }

float chance(ivec2 p, uint salt) { return unit_of(mixed(hash2(p) + salt * 0x9e3779b1u)); }

float chance_of(uint a, uint salt) { return unit_of(mixed(a ^ mixed(salt * 0x85ebca77u + 1u))); }

// Smooth value noise in [0, 1].
float value_noise1(float x, uint salt) {
    float cell = floor(x), f = x - cell;
    f = f * f * (3.0 - 2.0 * f);
    return mix(chance_of(uint(int(cell)), salt), chance_of(uint(int(cell) + 1), salt), f);
}

float value_noise2(vec2 p) {
    vec2 cell = floor(p), f = p - cell;
    f = f * f * (3.0 - 2.0 * f);
    ivec2 i = ivec2(cell);
    float a = unit_of(hash2(i)), b = unit_of(hash2(i + ivec2(1, 0)));
    float c = unit_of(hash2(i + ivec2(0, 1))), d = unit_of(hash2(i + ivec2(1, 1)));
    return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

// Noise that fades to its mean before a cell gets smaller than two pixels.
float noise_far(vec2 p, float foot) { return mix(value_noise2(p), 0.5, smoothstep(0.25, 0.6, foot)); }

// A line of half width `half_width` at distance d, averaged over a pixel.
float line(float d, float half_width, float foot) {
    float w = max(foot, 1e-5);
    return clamp((half_width - abs(d)) / w + 0.5, 0.0, 1.0) * min(1.0, 2.0 * half_width / w + 0.02);
}

float covered(float x, float share) { return floor(x) * share + min(fract(x), share); }

// Periodic stripes of period 1 that are on for `share` of it, averaged over a pixel.
float stripes(float x, float share, float foot) {
    float w = clamp(foot, 1e-4, 64.0);
    return (covered(x + 0.5 * w, share) - covered(x - 0.5 * w, share)) / w;
}

// Periodic lines of width `wide` (share of the period) around whole numbers.
float joints(float x, float wide, float foot) { return stripes(x + 0.5 * wide, wide, foot); }

float brightness(vec3 c) { return dot(c, vec3(0.2126, 0.7152, 0.0722)); }

// How a colour is stored: squeezed into 0 … 1, so that averaging works on bright edges (Karis 2013), with the precision in
// the dark (root).
vec3 stored(vec3 color) {
    color = min(max(color, vec3(0.0)), vec3(60.0));
    return sqrt(color / (1.0 + max(color.r, max(color.g, color.b))));
}

vec3 restored(vec3 c) {
    c *= c;
    return c / max(1.0 - max(c.r, max(c.g, c.b)), 0.0165);
}
