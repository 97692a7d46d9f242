// What the fragment shaders of all materials share: inputs, texture reads, bumps.

in vec3 from_eye;
in vec3 normal_in;
in vec3 place;
in vec3 own_normal;
in vec2 uv_in;
in float openness;
in float variation;
flat in vec3 size;
flat in int material;
flat in uint seed;
flat in int object;

out vec4 target;

vec4 detail_at(vec2 p, float layer) { return texture(details, vec3(p, layer)); }

// A read along the long axis of the pixel's footprint: four points, so that ground seen at a low angle stays sharp across.
vec4 detail_along(vec2 p, float layer, vec2 px, vec2 py) {
    float x2 = dot(px, px), y2 = dot(py, py);
    vec2 longer = x2 > y2 ? px : py;
    float wide = sqrt(max(x2, y2)), thin = sqrt(min(x2, y2));
    float level = log2(max(max(thin, 0.25 * wide) * 512.0, 1e-6));
    vec2 reach = longer * clamp(1.0 - thin / wide, 0.0, 1.0);
#ifdef LEAN
    return 0.5 * (textureLod(details, vec3(p - 0.25 * reach, layer), level) + textureLod(details, vec3(p + 0.25 * reach, layer), level));
#else
    return 0.25 * (textureLod(details, vec3(p - 0.375 * reach, layer), level) + textureLod(details, vec3(p - 0.125 * reach, layer), level)
                 + textureLod(details, vec3(p + 0.125 * reach, layer), level) + textureLod(details, vec3(p + 0.375 * reach, layer), level));
#endif
}

// The normal after a bump of slope `slope` along the two axes of coordinate p (after Mikkelsen 2010, from derivatives).
vec3 bumped(vec3 n, vec2 p, vec2 slope) {
    vec3 dx = dFdx(from_eye), dy = dFdy(from_eye);
    vec2 px = dFdx(p), py = dFdy(p);
    vec3 rx = cross(dy, n), ry = cross(n, dx);
    float turn = dot(dx, rx) < 0.0 ? -1.0 : 1.0;
    vec3 t = rx * px.x + ry * py.x, b = rx * px.y + ry * py.y;
    float size = max(dot(t, t), dot(b, b));
    return normalize(n + turn * inversesqrt(max(size, 1e-12)) * (t * slope.x + b * slope.y));
}

float widest(vec2 p) { return max(length(dFdx(p)), length(dFdy(p))); }

float across(float x) { return length(vec2(dFdx(x), dFdy(x))); }

vec4 finished(Surface m, float open, int own) {
    float far = length(from_eye);
    vec3 ray = from_eye / far, world = from_eye + eye_at.xyz;
    vec3 face = normalize(normal_in);
    float sun_share = cloud_light(world);
    if (sun.w > 0.0) sun_share *= shadow_at(world, face);
#ifdef MATTE
    CarLight cars = CarLight(1.0, 1.0, vec3(0.0));
#else
    CarLight cars = car_light(world, face, own);
#endif
    vec3 color = lit(m, world, ray, open, sun_share, cars);
    vec4 air = air_to(ray, far);
    color = color * air.a + air.rgb;
#ifdef SHAFTS
    color += shafts_to(eye_at.xyz, ray, far);
#endif
    return to_target(color);
}
