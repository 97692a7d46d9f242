// Road, lines, kerbs, verges and open ground. uv is (s, d) in metres on the ribbon, world x, y on the height field.

vec2 p;  // coordinate in metres
float wide;  // larger side of foot
vec4 broad;  // four noises over hundreds of metres
vec4 tufts;  // the same detail, turned and coarser
vec2 rock_dx, rock_dy;  // how the coordinate of rocks changes

// Metres left of the racing line, as the mesh tells it.
float from_line() { return (variation * 255.0 - 128.0) * LINE_REACH / 127.0; }

Surface asphalt(bool run_off) {
    Surface m = plain_surface(base, vec3(0.0));
    float age = road_state.x;
    m.albedo *= 1.0 + 1.3 * (grain.r - 0.475) + 0.3 * (wear.a - 0.5);
    float lanes = noise_far(vec2(p.x * 0.004, p.y * 0.55), foot.y * 0.55), stain = noise_far(p * vec2(0.05, 0.31) + 5.0, wide * 0.31);
    m.albedo *= 1.0 + (0.2 + 0.25 * age) * (wear.g - 0.5) + 0.3 * (lanes - 0.5) + (0.16 + 0.2 * age) * (stain - 0.5) + 0.2 * (broad.b - 0.5);
    // Repairs: rectangles of newer or older mix with a tar seam around them.
    vec2 cell = floor(p / vec2(17.0, 3.9)), at = p - cell * vec2(17.0, 3.9);
    ivec2 id = ivec2(cell);
    vec2 low = vec2(chance(id, 2u) * 5.0, chance(id, 3u) * 1.2), high = low + vec2(3.5 + 8.0 * chance(id, 4u), 1.3 + 1.3 * chance(id, 5u));
    vec2 q = min(at - low, high - at);
    float has = step(chance(id, 1u), 0.05 + 0.2 * age);
    float inside = clamp(q.x / foot.x + 0.5, 0.0, 1.0) * clamp(q.y / foot.y + 0.5, 0.0, 1.0) * has;
    m.albedo *= 1.0 + inside * (0.36 * chance(id, 6u) - 0.26);
    float seam = max(line(q.x, 0.025, foot.x) * step(-0.03, q.y), line(q.y, 0.025, foot.y) * step(-0.03, q.x)) * has;
    // Joint between the paver's lanes, and cracks.
    seam = max(seam, 0.75 * line(p.y - 0.4 * value_noise1(p.x * 0.03, 9u), 0.022, foot.y));
    float crack = (1.0 - wear.r) * age;
    m.albedo *= 1.0 - 0.55 * max(seam, crack);

    // Rubber: two dark bands on the line that cars take, streaks of braking on top.
    float lane = from_line() - 0.7 * (value_noise1(p.x * 0.011, 7u) - 0.5);
    float band = exp(-squared((abs(lane) - 0.82) / 0.55)) + 0.6 * exp(-lane * lane / 5.0);
    float rubber = road_state.y * (0.55 + 0.6 * (wear.b - 0.4)) * band * (run_off ? 0.0 : 1.0);
    float skid_zone = smoothstep(0.52, 0.75, value_noise1(p.x * 0.013, 21u)) * smoothstep(0.62, 0.86, wear.b);
    float skid = skid_zone * exp(-squared(lane / 3.2)) * (run_off ? 0.35 : 0.8);
    float dark = clamp(rubber * 0.85 + skid * 0.5 * road_state.y, 0.0, 0.8);
    m.albedo = mix(m.albedo, m.albedo * vec3(0.30, 0.31, 0.33), dark);
    m.roughness = 0.84 - 0.16 * dark - 0.12 * grain.g + 0.06 * inside;
    m.normal = vec3((grain.ba - 0.5) * (0.5 - 0.3 * dark), 0.0);
    m.reflectance = 0.045;
    return m;
}

Surface concrete() {
    Surface m = plain_surface(base, vec3((grain.ba - 0.5) * 0.4, 0.0));
    m.albedo *= 1.0 + 0.7 * (grain.r - 0.49) + 0.25 * (wear.g - 0.5);
    float gap = max(joints(p.x / 5.0, 0.006, foot.x / 5.0), joints(p.y / 5.0 + 0.5, 0.006, foot.y / 5.0));
    m.albedo *= (1.0 - 0.5 * gap) * (0.92 + 0.16 * chance(ivec2(floor(p / 5.0 + vec2(0.0, 0.5))), 3u));
    m.albedo *= 1.0 - 0.4 * (1.0 - wear.r);
    m.roughness = 0.8;
    return m;
}

Surface dirt_road() {
    Surface m = plain_surface(base, vec3(0.0));
    float lane = from_line() + 0.5 * (value_noise1(p.x * 0.04, 3u) - 0.5);
    float rut = exp(-squared((abs(lane) - 0.85) / 0.42)) + 0.55 * exp(-squared((abs(lane - 2.3) - 0.8) / 0.45)) * value_noise1(p.x * 0.02, 4u);
    float loose = smoothstep(0.25, 0.75, wear.g) * (1.0 - 0.8 * clamp(rut, 0.0, 1.0));
    m.albedo *= 0.72 + 0.6 * grain.r + 0.35 * (wear.g - 0.5);
    m.albedo = mix(m.albedo, m.albedo * 0.66, clamp(rut, 0.0, 1.0) * (0.55 + 0.4 * wear.b));
    m.albedo = mix(m.albedo, second * (0.6 + 0.9 * grain.r), 0.4 * loose);
    m.albedo *= 0.84 + 0.32 * broad.g;
    float side = lane > 0.0 ? 1.0 : -1.0;
    float hollow = side * (abs(lane) - 0.85) * exp(-squared((abs(lane) - 0.85) / 0.42));
    m.normal = vec3((grain.ba - 0.5) * 1.3 * (1.0 - 0.6 * clamp(rut, 0.0, 1.0)), 0.0) + vec3(0.0, -0.35 * hollow, 0.0);
    m.roughness = 0.95;
    m.reflectance = 0.025;
    return m;
}

Surface painted_line(Surface under) {
    if (variation > 0.9) {
        under.albedo = mix(kind_color[DIRT_ROAD].rgb, kind_color[GRAVEL].rgb, 0.55) * (0.55 + 0.9 * grain.r);
        return under;
    }
    Surface m = under;
    float gone = smoothstep(0.62, 0.95, wear.g * 0.6 + wear.a * 0.35 + 0.4 * road_state.z * (0.5 + grain.g) + 0.25 * (broad.b - 0.5));
    gone = clamp(max(gone, (1.0 - wear.r) * 0.8) + 0.12 * (0.5 - grain.r), 0.0, 0.85) * (0.4 + 0.6 * road_state.z);
    m.albedo = mix(base * (0.86 + 0.2 * wear.g), under.albedo, gone);
    m.albedo *= 1.0 - 0.3 * smoothstep(0.6, 0.9, wear.b) * road_state.y;
    m.roughness = 0.6;
    m.normal = under.normal * 0.4;
    return m;
}

Surface kerb() {
    float period = p.x / (2.0 * road_state.w);
    float on = stripes(period, 0.5, foot.x / (2.0 * road_state.w));
    vec3 paint = mix(second, base, on);
    Surface m = plain_surface(paint, vec3(0.0));
    float chipped = smoothstep(0.66, 0.9, wear.g * 0.75 + wear.a * 0.4) * 0.6;
    m.albedo *= 1.0 + 0.35 * (grain.r - 0.49) + 0.18 * (wear.a - 0.5);
    m.albedo = mix(m.albedo, vec3(0.3, 0.29, 0.27), chipped * 0.7);
    float scuff = smoothstep(0.5, 0.85, wear.b) * 0.55 + 0.16 * noise_far(p * vec2(0.3, 3.0), wide * 3.0);
    m.albedo *= 1.0 - scuff * road_state.y;
    // Saw-tooth ribs across the driving direction.
    float rib = fract(p.x * 2.5), near = 1.0 - smoothstep(0.1, 0.3, foot.x);
    m.normal = vec3((rib < 0.75 ? -0.05 : 0.16) * near, 0.0, 0.0) + vec3((grain.ba - 0.5) * 0.3, 0.0);
    m.albedo *= 1.0 - 0.2 * near * smoothstep(0.72, 0.8, rib);
    m.roughness = 0.55;
    return m;
}

// Grass of all kinds: blades near by, tufts farther off, fields of colour at a distance.
Surface grass(bool mown) {
    Surface m = plain_surface(base, vec3(0.0));
    // Mottling at every size from a hand to a field, each lost before it gets smaller than a pixel.
    float hand = noise_far(p * 1.9, wide * 1.9), stride = noise_far(p * 0.47 + 3.1, wide * 0.47), bed = noise_far(p * 0.113 + 7.7, wide * 0.113);
    float field = broad.r * 0.6 + broad.g * 0.4;
    float dry = 0.42 * field + 0.25 * bed + 0.18 * stride + 0.15 * tufts.g;
    dry = falls(0.36, 0.62, dry + 0.28 - 0.5 * plant_state.x * (mown ? 0.75 : 1.1));
    vec3 tint = mix(base, second, dry * (mown ? 0.8 : 1.0));
    // Lush, darker places and pale, thin ones.
    float lush = smoothstep(0.42, 0.75, 0.5 * broad.b + 0.3 * bed + 0.2 * stride);
    tint = mix(tint, tint * vec3(0.66, 0.86, 0.6), lush * (mown ? 0.4 : 0.85));
    tint *= 1.0 + 0.34 * (tufts.g - 0.5) * vec3(1.2, 0.5, 0.2) + 0.16 * (grain.g - 0.5);
    float light = (0.4 + 1.8 * grain.r) * (0.5 + 1.5 * tufts.r);
    light *= 1.0 + (mown ? 0.26 : 0.5) * (stride - 0.5) + (mown ? 0.3 : 0.4) * (hand - 0.5) + 0.3 * (bed - 0.5);
    m.albedo = tint * max(light, 0.15);
    vec2 bend = (grain.ba - 0.5) * 1.2 + (tufts.ba - 0.5) * (mown ? 0.7 : 1.4);
    if (mown) {
        float period = 2.0 * plant_state.w;
        float band = stripes(p.y / period + 0.04 * (broad.a - 0.5), 0.5, foot.y / period) - 0.5;
        m.albedo *= 1.0 + 0.42 * plant_state.z * band;
        bend.x += 0.3 * plant_state.z * band;
    }
    // Flowers: small dots in patches.
    ivec2 id = ivec2(floor(p * 3.1));
    float beds = smoothstep(0.5, 0.7, 0.5 * broad.a + 0.5 * bed) * (mown ? 0.3 : 1.0);
    float flower = step(chance(id, 5u), plant_state.y * 0.7 * beds);
    vec2 middle = 0.3 + 0.4 * vec2(chance(id, 6u), chance(id, 7u));
    float dot_size = falls(0.08, 0.2, length(fract(p * 3.1) - middle)) * (1.0 - smoothstep(0.3, 1.0, wide * 3.1));
    vec3 petal = chance(id, 8u) < 0.6 ? vec3(0.85, 0.85, 0.8) : mix(vec3(0.9, 0.72, 0.1), vec3(0.6, 0.25, 0.7), step(0.5, chance(id, 9u)));
    m.albedo = mix(m.albedo, petal, flower * dot_size * 0.85);
    float away = length(from_eye);
    m.normal = vec3(bend * (1.0 - 0.6 * smoothstep(20.0, 120.0, away)), 0.0);
    m.through = 0.32;
    m.occlusion = mix(0.62 + 0.75 * grain.r, 0.9, smoothstep(10.0, 60.0, away));
    m.roughness = 0.85;
    m.reflectance = 0.02;
    return m;
}

Surface loose(float strength, float contrast, float tone) {
    Surface m = plain_surface(base, vec3((grain.ba - 0.5) * strength, 0.0));
    m.albedo *= 1.0 + contrast * (grain.r - tone) + 0.3 * (wear.g - 0.5) + 0.25 * (broad.g - 0.5);
    m.albedo *= 1.0 + 0.25 * (grain.g - 0.5) * vec3(1.0, 0.8, 0.6);
    m.roughness = 0.95;
    m.reflectance = 0.025;
    return m;
}

Surface rock(float steep) {
    // Crags and gullies, tens of metres large, so that a far slope keeps its relief.
    const float crag_tile = 1.0 / 63.0;
    vec4 crag = detail_along(p.yx * crag_tile + 0.2 * wear.gb, LAYER_ROCK, rock_dx.yx * crag_tile, rock_dy.yx * crag_tile);
    Surface m = plain_surface(base, vec3((grain.ba - 0.5) * 1.7 + (crag.ab - 0.5) * 2.6, 0.0));
    float band = 0.35 * grain.r + 0.3 * crag.r + 0.35 * noise_far(vec2(place.z * 0.9 + 1.5 * broad.r, 0.5), across(place_dx.z, place_dy.z) * 0.9);
    m.albedo = mix(second, base, smoothstep(0.22, 0.72, band + 0.25 * (wear.g - 0.5)));
    m.albedo *= (0.7 + 0.6 * grain.r) * (0.55 + 0.9 * crag.r);
    float moss = smoothstep(0.55, 0.8, grain.g) * (1.0 - steep) * 0.6;
    m.albedo = mix(m.albedo, kind_color[GRASS_WILD].rgb * 0.7, moss);
    m.occlusion = (0.55 + 0.65 * grain.r) * (0.7 + 0.5 * crag.r);
    m.roughness = 0.88;
    return m;
}

Surface grid_mark(Surface m) {
    m.albedo = mix(m.albedo, kind_color[EDGE_LINE].rgb * (0.85 + 0.2 * wear.g), 0.92 - 0.5 * smoothstep(0.6, 0.9, wear.g) * road_state.z);
    return m;
}

// Water: porous ground darkens, then fills; puddles mirror the sky.
void wetted(inout Surface m, bool hard) {
    float level = 0.24 * broad.a + 0.34 * noise_far(p * vec2(0.035, 0.3), wide * 0.3) + 0.26 * noise_far(p * vec2(0.16, 0.8) + 4.0, wide * 0.8)
                + 0.16 * noise_far(p * vec2(0.7, 1.9) + 9.0, wide * 1.9);
    float fill = 0.14 + 0.37 * weather.x + 0.08 * (0.5 - grain.r) - 0.05 * (1.0 - wear.r);
    float pool = hard ? falls(fill - 0.03, fill + 0.05, level) * step(0.22, weather.x) * smoothstep(0.97, 0.995, face.z) : 0.0;
    float damp = weather.x * (hard ? 1.0 : 0.6);
    m.albedo *= mix(1.0, 0.52, damp);
    m.roughness = mix(m.roughness, hard ? 0.42 : 0.75, damp);
    m.normal *= mix(1.0, 0.6, damp);
    m.albedo *= mix(1.0, 0.7, pool);
    m.roughness = mix(m.roughness, 0.06, pool);
    m.normal *= 1.0 - pool;
    m.reflectance = mix(m.reflectance, 0.035, pool);
}

Surface bare() {
#ifdef PAINTS_ROAD
    if (material == ASPHALT || material == EDGE_LINE || material == GRID_MARK) {
        Surface m = asphalt(material == EDGE_LINE || variation < 0.002);
        if (material == EDGE_LINE) m = painted_line(m);
        else if (material == GRID_MARK) m = grid_mark(m);
        return m;
    }
#endif
#ifdef PAINTS_HARD
    if (material == CONCRETE) return concrete();
    if (material == KERB) return kerb();
#endif
#ifdef PAINTS_GRASS
    if (material == GRASS_MOWN || material == GRASS_WILD) return grass(material == GRASS_MOWN);
#endif
#ifdef PAINTS_LOOSE
    if (material == DIRT_ROAD) return dirt_road();
    if (material != ROCK) {
        vec3 kind = material == SOIL ? vec3(1.4, 1.3, 0.48) : (material == GRAVEL ? vec3(1.2, 1.9, 0.34) : vec3(1.0, 1.1, 0.49));
        return loose(kind.x, kind.y, kind.z);
    }
#endif
#ifdef PAINTS_ROCK
    return rock(1.0 - smoothstep(0.6, 0.9, face.z));
#else
    return plain_surface(base, vec3(0.0));
#endif
}

Surface ground() {
    vec3 world = from_eye + eye_at.xyz;
    vec4 kind = kind_detail[material];  // layer, 1 / tile
    // Gradients of the smooth coordinate, so that a change of plane or of s never shows as a line of coarse pixels.
    vec2 px = uv_dx, py = uv_dy, bump_x = uv_dx, bump_y = uv_dy;
    p = uv_in;
#ifdef PAINTS_ROCK
    if (material == ROCK) {
        vec3 side = abs(own_normal);
        p = facing(side, place);
        bump_x = facing(side, place_dx);
        bump_y = facing(side, place_dy);
        px = from_eye_dx.xy + from_eye_dx.zz;
        py = from_eye_dy.xy + from_eye_dy.zz;
        rock_dx = px;
        rock_dy = py;
    }
#endif
    foot = footprint(px, py);
    wide = max(foot.x, foot.y);
    grain = detail_along(p * kind.y, kind.x, px * kind.y, py * kind.y);
    mat2 turned = mat2(0.148, -0.1, 0.1, 0.148) * kind.y;
    tufts = detail_along(turned * p + 0.3, kind.x, turned * px, turned * py);
    bool hard = material <= CONCRETE || material == EDGE_LINE || material == KERB || material == GRID_MARK;
    vec2 stretch = hard && material != CONCRETE ? vec2(1.0 / 14.0, 1.0 / 8.0) : vec2(1.0 / 11.0);
    wear = textureGrad(details, vec3(p * stretch, LAYER_WEAR), px * stretch, py * stretch);
    broad = textureGrad(details, vec3(world.xy / 310.0, LAYER_NOISE), from_eye_dx.xy / 310.0, from_eye_dy.xy / 310.0);
    Surface m = bare();
    if (weather.x > 0.0) wetted(m, hard);
    m.normal = bumped(face, bump_x, bump_y, m.normal.xy);
    return m;
}
