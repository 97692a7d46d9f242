// All that people have built: the plane that a wall lies in, its grain and its wear, then the thing itself.

vec2 w;  // coordinate in metres
bool lies;  // whether the surface is level in its object

Surface wall(vec3 albedo) {
    Surface m = plain_surface(albedo, vec3((grain.ba - 0.5) * 0.5, 0.0));
    float drip = smoothstep(0.45, 0.95, grain.g) * surface_state.x;
    m.albedo *= (1.0 + 0.8 * (grain.r - 0.5)) * (1.0 - 0.35 * drip) * (1.0 + 0.2 * (wear.g - 0.5));
    // Splashes at the foot.
    m.albedo *= 1.0 - 0.3 * surface_state.x * falls(0.0, 0.9, w.y + 0.4 * (wear.g - 0.5));
    return m;
}

Surface flat_roof() {
    Surface m = plain_surface(vec3(0.16, 0.16, 0.165) * (0.8 + 0.4 * wear.g), vec3((grain.ba - 0.5) * 0.4, 0.0));
    m.roughness = 0.9;
    return m;
}

Surface plain_metal(vec3 paint, float metal) {
    Surface m = plain_surface(paint * (0.9 + 0.2 * wear.g), vec3(0.0));
    m.metal = metal;
    m.roughness = 0.4 + 0.2 * wear.g;
    return m;
}

// Five lamps that come on one after the other while the grid waits, and go out together at the start.
Surface start_lights() {
    Surface m = plain_surface(vec3(0.012), vec3(0.0));
    m.roughness = 0.8;
    if (normalize(own_normal).y > -0.9) return m;
    float shape = length(place_dx * uv_dy.y - place_dy * uv_dx.y) / max(length(place_dy * uv_dx.x - place_dx * uv_dy.x), 1e-9) / 5.0;
    float lamp = floor(clamp(uv_in.x, 0.0, 0.999) * 5.0);
    vec2 q = (vec2(uv_in.x * 5.0 - lamp, uv_in.y) - 0.5) * vec2(shape, 1.0);
    float wide = 0.4 * min(shape, 1.0), blur = max(across(uv_dx.y, uv_dy.y), 1e-3);
    float lens = clamp((wide - length(q)) / blur + 0.5, 0.0, 1.0);
    float on = step((lamp + 1.0) * COUNTDOWN / 6.0, frame_time.x) * step(frame_time.x, COUNTDOWN);
    m.albedo = mix(m.albedo, vec3(0.13, 0.008, 0.008), lens);
    m.roughness = mix(m.roughness, 0.35, lens);
    m.glow = vec3(1.0, 0.035, 0.02) * (5.0 * on * lens);
    return m;
}

Surface frame() {
    if (material == METAL) {
        if (abs(variation - START_LIGHTS) < 0.01) return start_lights();
        Surface m = plain_metal(variation < 0.3 ? second * 0.5 : base, 0.6);
        if (variation > 0.75) m.glow = vec3(1.0, 0.82, 0.55) * 6.0 * max(lamp_light.w - 0.2, 0.0) * step(face.z, -0.5);
        return m;
    }
    if (material != STAND_FRAME) return plain_metal(base, 0.2);
    Surface m = wall(mix(base, second, lies ? 0.0 : 0.25));
    m.albedo *= 1.0 - 0.35 * max(joints(w.x / 3.0, 0.012, foot.x / 3.0), joints(w.y / 1.5, 0.02, foot.y / 1.5));
    m.roughness = 0.6;
    return m;
}

// Where a wall is told by its object; barriers and boards have coordinates of their own.
vec2 along_wall(vec3 side, vec3 q) { return lies ? q.xy : (side.x > side.y ? q.yz : q.xz); }
