// The point of a triangle that a pixel sees, and how everything on it changes to the next pixel. Materials read these names.

layout(std430, binding = 1) readonly buffer Corners { uint corners[]; };  // 9 words: position, normal, uv, bytes
layout(std430, binding = 2) readonly buffer Numbers { uint corner_numbers[]; };  // 3 words a triangle
layout(std430, binding = 3) readonly buffer Records { uint records[]; };  // 18: rotation, origin, scale, seed, object, class

vec3 from_eye, from_eye_dx, from_eye_dy;  // metres, world axes; _dx and _dy a pixel to the right and down
vec3 normal_in;
vec3 place, place_dx, place_dy;  // metres, the object's own axes; world axes in the static mesh
vec3 own_normal;  // in the axes of place
vec2 uv_in, uv_dx, uv_dy;
float openness, variation;
vec3 size;  // of the object, metres
int material;
uint seed;
int object;  // car number + 1, 0 for all else

float corner_at(uint i) { return uintBitsToFloat(corners[i]); }
float record_at(uint i) { return uintBitsToFloat(records[i]); }
vec3 corner3(uint i) { return vec3(corner_at(i), corner_at(i + 1u), corner_at(i + 2u)); }
vec3 record3(uint i) { return vec3(record_at(i), record_at(i + 1u), record_at(i + 2u)); }
vec2 corner2(uint i) { return vec2(corner_at(i), corner_at(i + 1u)); }

// Ray through a place of the picture in pixels, y down; not of length 1.
vec3 ray_at(vec2 pixel) {
    vec2 at = pixel / frame_size.xy * 2.0 - 1.0;
    return view_forward.xyz + at.x * view_right.xyz - at.y * view_up.xyz;
}

// At `pixel`, or at `own`, which lies in the triangle.
void find_point(uint triangle, uint record, int kind, vec2 pixel, vec2 own) {
    uint first = triangle * 3u;
    uvec3 c = uvec3(corner_numbers[first], corner_numbers[first + 1u], corner_numbers[first + 2u]) * 9u;
#ifdef STATIC_ONLY
    mat3 rotation = mat3(1.0);
    vec3 origin = vec3(0.0);
    size = vec3(1.0);
    seed = 0u;
    object = 0;
#else
    uint r = record * 18u;
    mat3 rotation = mat3(record3(r), record3(r + 3u), record3(r + 6u));  // rows of the record: multiply from the left
    vec3 origin = record3(r + 9u);
    size = record3(r + 12u);
    seed = records[r + 15u];
    object = int(records[r + 16u]);
#endif
    vec3 at = size * corner3(c.x), own1 = size * corner3(c.y) - at, own2 = size * corner3(c.z) - at;
    vec3 to = at * rotation + (origin - eye_at.xyz), edge1 = own1 * rotation, edge2 = own2 * rotation;
    // Where the ray meets the plane of the triangle, in shares of its edges: Möller and Trumbore, 1997.
    vec3 ray = ray_at(pixel), sure = ray_at(own), n = cross(edge1, edge2), q1 = cross(edge2, to), q2 = cross(to, edge1);
    float facing = dot(ray, n), safe = dot(sure, n);
    // Beside the triangle its plane stands for its neighbours', unless it is seen so much from the side that it runs away.
    if (facing * safe < 0.0 || abs(facing - safe) > 0.15 * abs(facing)) { ray = sure; facing = safe; }
    facing = 1.0 / (abs(facing) < 1e-20 ? 1e-20 : facing);
    vec2 b = vec2(dot(ray, q1), dot(ray, q2)) * facing;
    vec3 dx = view_right.xyz * (2.0 / frame_size.x), dy = view_up.xyz * (-2.0 / frame_size.y);
    vec2 bx = (vec2(dot(dx, q1), dot(dx, q2)) - b * dot(dx, n)) * facing;
    vec2 by = (vec2(dot(dy, q1), dot(dy, q2)) - b * dot(dy, n)) * facing;
    float a = 1.0 - b.x - b.y;

    place = at + own1 * b.x + own2 * b.y;
    place_dx = own1 * bx.x + own2 * bx.y;
    place_dy = own1 * by.x + own2 * by.y;
    from_eye = to + edge1 * b.x + edge2 * b.y;
    from_eye_dx = place_dx * rotation;
    from_eye_dy = place_dy * rotation;
    own_normal = (corner3(c.x + 3u) * a + corner3(c.y + 3u) * b.x + corner3(c.z + 3u) * b.y) / size;
    normal_in = own_normal * rotation;
    vec2 uv = corner2(c.x + 6u), uv1 = corner2(c.y + 6u) - uv, uv2 = corner2(c.z + 6u) - uv;
    uv_in = uv + uv1 * b.x + uv2 * b.y;
    uv_dx = uv1 * bx.x + uv2 * bx.y;
    uv_dy = uv1 * by.x + uv2 * by.y;
    uvec3 bytes = uvec3(corners[c.x + 8u], corners[c.y + 8u], corners[c.z + 8u]);
    vec3 share = vec3(a, b) / 255.0;
    variation = dot(vec3((bytes >> 16) & 255u), share);
    openness = dot(vec3(bytes >> 24), share);
    material = kind;
}
