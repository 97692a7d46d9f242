// Rails, walls, tyres and fences along the road: w is (along, up) in metres.

Surface rail() {
    float h = uv_in.y;
    Surface m = plain_surface(base, vec3(0.0));
    float on = smoothstep(0.40, 0.46, h);
    float near = 1.0 - smoothstep(0.05, 0.2, foot.y);
    m.normal.y = (sin((h - 0.44) * 6.2831853 / 0.2) * 0.85) * on * near;
    m.metal = 0.75;
    m.roughness = 0.42 + 0.2 * wear.g;
    m.albedo *= 0.86 + 0.3 * (wear.g - 0.5) - 0.25 * surface_state.x * smoothstep(0.5, 0.95, grain.g);
    float lap = line(mod(uv_in.x, 4.0) - 2.0, 0.03, foot.x);
    m.albedo *= 1.0 - 0.5 * lap;
    float bolt = falls(0.015, 0.035, length(vec2(mod(uv_in.x, 4.0) - 2.12, h - 0.64))) * (1.0 - smoothstep(0.02, 0.06, foot.x));
    m.albedo *= 1.0 - 0.5 * bolt;
    m.metal *= 1.0 - 0.6 * smoothstep(0.5, 0.9, wear.g) * surface_state.x;
    m.occlusion = mix(0.6, 1.0, smoothstep(0.4, 0.5, h)) * (0.8 + 0.2 * sin((h - 0.49) * 6.2831853 / 0.2) * near);
    return m;
}

Surface concrete_wall() {
    Surface m = wall(base);
    float lengths = 4.0;
    float gap = joints(uv_in.x / lengths, 0.008, foot.x / lengths);
    ivec2 panel = ivec2(int(floor(uv_in.x / lengths)), 0);
    m.albedo *= 0.88 + 0.22 * chance(panel, 2u);
    float scrape = smoothstep(0.6, 0.9, wear.b) * falls(0.45, 0.75, uv_in.y) * smoothstep(0.1, 0.3, uv_in.y);
    m.albedo *= (1.0 - 0.6 * gap) * (1.0 - 0.45 * scrape);
    // Advertisements painted on some stretches.
    vec2 at = vec2(mod(uv_in.x, 12.0) / 3.2 - 0.2, (uv_in.y - 0.2) / 0.75);
    ivec2 stretch = ivec2(int(floor(uv_in.x / 12.0)), 0);
    int brand = int(mixed(hash2(ivec2(int(floor(uv_in.x / 96.0)), 5)) + uint(surface_state.z)) & 15u);
    float shown = step(chance(ivec2(int(floor(uv_in.x / 96.0)), 7), 3u), 0.5);
    vec2 inside = clamp(min(at, 1.0 - at) * vec2(3.2, 0.75) / foot + 0.5, 0.0, 1.0);
    vec2 low = vec2(float(brand & 3) * 512.0, float(brand >> 2) * 256.0), picture = vec2(2048.0, 1152.0), size = vec2(512.0, 256.0);
    vec2 scale = vec2(1.0 / 3.2, 1.0 / 0.75) * size / picture;
    vec2 mark = textureGrad(print_atlas, (low + clamp(at, 0.01, 0.99) * size) / picture, uv_dx * scale, uv_dy * scale).rg;
    vec3 print_color = mix(mix(brand_paint[brand * 2].rgb, brand_paint[brand * 2 + 1].rgb * 0.6, mark.g), brand_paint[brand * 2 + 1].rgb, mark.r);
    m.albedo = mix(m.albedo, print_color * (0.85 + 0.25 * grain.r) * (1.0 - 0.4 * scrape), inside.x * inside.y * shown * 0.92);
    return m;
}

Surface tyre_wall() {
    float h = uv_in.y;
    vec2 size = vec2(0.62, 0.215), q = uv_in / size;
    float row = floor(q.y), column = floor(q.x + 0.5 * mod(row, 2.0));
    vec2 at = vec2(fract(q.x + 0.5 * mod(row, 2.0)) - 0.5, fract(q.y) - 0.5);
    float small = smoothstep(0.25, 0.7, max(foot.x / size.x, foot.y / size.y));
    float band = floor(uv_in.x / 3.72);
    float painted = step(0.5, fract(band * 0.5)) * 1.0;
    float colored = step(1.0, row);
    vec3 paint = mix(base, second, painted) * colored + vec3(0.05) * (1.0 - colored);
    float chip = smoothstep(0.5, 0.8, wear.g * 0.6 + wear.a * 0.4);
    Surface m = plain_surface(mix(paint, vec3(0.035), chip * 0.6), vec3(0.0));
    m.normal = vec3(at.x * 2.2, at.y * 2.4, 0.0) * (1.0 - small);
    float joint = max(smoothstep(0.36, 0.5, abs(at.x)), smoothstep(0.32, 0.5, abs(at.y)));
    m.occlusion = mix(1.0 - 0.85 * joint, 0.68, small);
    m.albedo *= mix(1.0 - 0.6 * joint, 0.75, small);
    m.roughness = 0.7;
    return m;
}

Surface fence() {
    float h = uv_in.y;
    vec2 d = vec2(uv_in.x + h, uv_in.x - h) / 0.09;
    vec2 f = vec2(across(uv_dx.x + uv_dx.y, uv_dy.x + uv_dy.y), across(uv_dx.x - uv_dx.y, uv_dy.x - uv_dy.y)) / 0.09;
    float mesh = max(joints(d.x, 0.14, f.x), joints(d.y, 0.14, f.y));
    mesh = max(mesh, max(line(h - 1.47, 0.03, foot.y), line(h - 0.06, 0.04, foot.y)));
    // What stands behind, lit as ground is (see `built`): grass in its shade and light, paler with the distance above.
    vec3 field = mix(kind_color[GRASS_WILD].rgb, kind_second[GRASS_WILD].rgb, 0.35);
    vec3 behind = field * mix(0.62, 0.9, smoothstep(0.05, 0.9, h + 0.5 * (wear.g - 0.5))) * (0.75 + 0.5 * wear.g);
    Surface m = plain_surface(mix(behind, base, mesh), vec3(0.0));
    m.metal = 0.5 * mesh;
    m.roughness = mix(0.9, 0.4, mesh);
    return m;
}

Surface roadside() {
    if (material == GUARD_RAIL) return rail();
    if (material == CONCRETE_WALL) return concrete_wall();
    if (material == TYRE_WALL) return tyre_wall();
    return fence();
}
