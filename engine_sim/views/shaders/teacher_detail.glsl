// What all materials share: colours and patterns of the moment, texture reads, bumps. Changes from pixel to pixel are
// arguments, so that compute shaders, which know no neighbours, can paint.

vec3 face;  // unit normal
vec3 base, second;  // the material's two colours
vec4 grain;  // the material's own detail
vec4 wear;  // cracks, blotches, streaks, fine noise
vec2 foot;  // size of a pixel along both axes of the material's coordinate

// A read along the long axis of the pixel's footprint: four points, so that ground seen at a low angle stays sharp across.
vec4 detail_along(vec2 p, float layer, vec2 px, vec2 py) {
    float x2 = dot(px, px), y2 = dot(py, py);
    vec2 longer = x2 > y2 ? px : py;
    float wide = sqrt(max(x2, y2)), thin = sqrt(min(x2, y2));
    float level = log2(max(max(thin, 0.25 * wide) * 512.0, 1e-6));
    vec2 reach = longer * clamp(1.0 - thin / wide, 0.0, 1.0);
    return 0.25 * (textureLod(details, vec3(p - 0.375 * reach, layer), level) + textureLod(details, vec3(p - 0.125 * reach, layer), level)
                 + textureLod(details, vec3(p + 0.125 * reach, layer), level) + textureLod(details, vec3(p + 0.375 * reach, layer), level));
}

// The normal after a bump of slope `slope` along the two axes of a coordinate (after Mikkelsen 2010, from derivatives).
vec3 bumped(vec3 n, vec2 px, vec2 py, vec2 slope) {
    vec3 rx = cross(from_eye_dy, n), ry = cross(n, from_eye_dx);
    float turn = dot(from_eye_dx, rx) < 0.0 ? -1.0 : 1.0;
    vec3 t = rx * px.x + ry * py.x, b = rx * px.y + ry * py.y;
    float size = max(dot(t, t), dot(b, b));
    return normalize(n + turn * inversesqrt(max(size, 1e-12)) * (t * slope.x + b * slope.y));
}

vec2 footprint(vec2 px, vec2 py) { return max(vec2(length(vec2(px.x, py.x)), length(vec2(px.y, py.y))), vec2(1e-4)); }

float across(float dx, float dy) { return length(vec2(dx, dy)); }

// What lies in the plane that the surface faces most.
vec2 facing(vec3 side, vec3 q) { return side.z > max(side.x, side.y) ? q.xy : (side.x > side.y ? q.yz : q.xz); }
