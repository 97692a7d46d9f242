// One part of a pixel from its triangle to its light. Which materials a program knows is decided by defines.

Surface surface_here() {
#ifdef PAINTS_GROUND
    if (material <= ROCK || material == GRID_MARK) return ground();
#endif
#ifdef PAINTS_PLANT
    if (material >= BARK && material <= NEEDLES) return plant();
#endif
#ifdef PAINTS_CAR
    if (material >= CAR_PAINT && material <= CAR_TAILLIGHT) return car();
#endif
#ifdef PAINTS_BUILT
    return built();
#else
    return plain_surface(base, face);
#endif
}

vec3 lit_here(Surface m) {
    float far = length(from_eye);
    vec3 ray = from_eye / far, world = from_eye + eye_at.xyz, outside = normalize(normal_in);
    float sun_share = cloud_light(world);
    if (sun.w > 0.0) sun_share *= shadow_at(world, outside) * hill_light(world);
    CarLight cars = CarLight(1.0, 1.0, vec3(0.0));
    if (!MATTE) cars = car_light(world, outside, object);
    vec3 color = lit(m, world, ray, openness, sun_share, cars);
    vec4 air = air_to(ray, far);
    color = color * air.a + air.rgb;
#ifdef SHAFTS
    color += shafts_to(eye_at.xyz, ray, far);
#endif
    return color;
}

// Colour of what the words name (as a sample of `seen` holds them), at a place of the picture in pixels; `own` as above.
vec3 painted(uint triangle, uint record, int kind, vec2 pixel, vec2 own) {
#ifdef PAINTS_SKY
    if (triangle == 0u) return sky_behind(normalize(ray_at(pixel)));
#endif
#ifdef PAINTS_THINGS
    find_point(triangle - 1u, record, kind, pixel, own);
    face = normalize(normal_in);
    base = kind_color[material].rgb;
    second = kind_second[material].rgb;
    return lit_here(surface_here());
#else
    return vec3(0.0);
#endif
}
