// What people look at and where they sit.

// People on rows of seats. Steps seen from below show their risers, so rows are counted by height.
Surface seats() {
    float row_high = 0.52 * size.z / 9.0;
    vec2 q = vec2(place.x / 0.58, (place.z - 0.1 * size.z) / row_high), cell = floor(q), at = q - cell;
    ivec2 id = ivec2(cell) + ivec2(int(seed & 1023u), 0);
    vec2 per_pixel = max(vec2(across(place_dx.x, place_dy.x) / 0.58, across(place_dx.z, place_dy.z) / row_high), vec2(1e-4));
    float small = smoothstep(0.35, 1.1, max(per_pixel.x, per_pixel.y)), tiny = smoothstep(0.9, 3.5, max(per_pixel.x, per_pixel.y));
    float tread = step(0.9, normalize(own_normal).z) * step(0.97, face.z);
    // Blocks of two colours, stairs between them.
    float block = floor(cell.x / 18.0);
    float stairs = step(mod(cell.x, 18.0), 0.5) * (1.0 - smoothstep(0.5, 4.0, per_pixel.x));
    vec3 chair = mix(base, second, step(0.6, unit_of(hash2(ivec2(int(block), 3)))));
    float crowd = surface_state.y * (0.72 + 0.5 * value_noise2(cell * 0.16 + 3.0));
    float taken = step(chance(id, 3u), crowd) * (1.0 - stairs);
    float jump = 0.09 * max(0.0, sin(frame_time.x * (2.0 + 3.0 * chance(id, 5u)) + 6.28 * chance(id, 6u))) * step(0.72, chance(id, 7u));
    uint pick = mixed(hash2(id));
    vec2 local = vec2(((pick & 64u) != 0u ? at.x : 1.0 - at.x) * 0.8 + 0.1, at.y * 0.92 + 0.02 - jump);
    vec2 lookup = (vec2(pick & 7u, (pick >> 3) & 7u) + clamp(local, 0.02, 0.98)) / 8.0;
    vec4 person = textureGrad(details, vec3(lookup, LAYER_CROWD), vec2(per_pixel.x, 0.0) / 8.0, vec2(0.0, per_pixel.y) / 8.0);
    vec3 cloth = person.rgb / max(person.a, 0.25);
    cloth *= cloth;
    // From afar a person is one dab of colour, and farther still the crowd is its mean.
    vec3 dab = vec3(0.06) + 0.5 * vec3(chance(id, 8u), chance(id, 9u), chance(id, 10u)) * chance(id, 11u);
    dab = mix(dab, vec3(0.19, 0.17, 0.165), tiny);
    cloth = mix(cloth, dab, small);
    float alpha = mix(person.a * taken, 0.8 * mix(taken, surface_state.y * 0.75, tiny), small) * (1.0 - tread);
    float back = mix(smoothstep(0.08, 0.14, at.y) * falls(0.54, 0.62, at.y), 0.5, small) * (1.0 - stairs);
    vec3 bare = mix(vec3(0.19), chair, mix(back, 0.55, tread));
    Surface m = plain_surface(mix(bare, cloth, alpha), vec3(0.0));
    m.occlusion = mix(mix(0.4, 1.0, smoothstep(0.0, 0.7, at.y)), 0.78, max(small, tread));
    m.through = 0.25 * alpha;
    return m;
}

Surface board() {
    float shape = length(place_dx * uv_dy.y - place_dy * uv_dx.y) / max(length(place_dy * uv_dx.x - place_dx * uv_dy.x), 1e-9);
    float copies = max(1.0, round(shape * 0.5 - 0.15));
    float number = floor(uv_in.x * copies);
    int brand = int(mixed(seed + uint(surface_state.z) + uint(int(number)) * 977u) & 15u);
    if (copies > 4.0) brand = int(mixed(seed + uint(surface_state.z) + uint(int(mod(number, 2.0))) * 977u) & 15u);
    vec3 paper = brand_paint[brand * 2].rgb, ink = brand_paint[brand * 2 + 1].rgb;
    vec2 at = clamp(vec2(uv_in.x * copies - number, uv_in.y), 0.006, 0.994);
    vec2 low = vec2(float(brand & 3) * 512.0, float(brand >> 2) * 256.0), panel = vec2(512.0, 256.0) / vec2(2048.0, 1152.0);
    vec2 scale = vec2(copies, 1.0) * panel;
    vec2 mark = textureGrad(print_atlas, low / vec2(2048.0, 1152.0) + at * panel, uv_dx * scale, uv_dy * scale).rg;
    vec3 accent = mix(ink, paper, 0.35) * vec3(1.0, 0.85, 0.7);
    vec3 print_color = mix(mix(paper, accent, mark.g), ink, mark.r);
    Surface m = plain_surface(print_color * (0.9 + 0.12 * wear.g) * (1.0 - 0.18 * surface_state.x * smoothstep(0.5, 0.9, grain.g)), vec3(0.0));
    m.roughness = 0.42;
    m.glow = print_color * lamp_light.w * 0.3 * smoothstep(-0.2, 1.0, uv_in.y);
    return m;
}
