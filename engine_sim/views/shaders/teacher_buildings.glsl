// Facades and roofs. On facades w is (along the wall, up) in metres of the object itself.

// Glass of a window: a mirror of sky and skyline before a dark room, or a lit one.
void glaze(inout Surface m, float part, ivec2 cell, vec2 inside, float small) {
    float on = step(chance(cell, seed + 11u), lamp_light.z);
    on = mix(on, lamp_light.z, small);
    vec3 room = vec3(0.03, 0.034, 0.04) + 0.05 * chance(cell, seed + 12u);
    float blind = step(chance(cell, seed + 13u), 0.35) * step(inside.y, 0.0) * (1.0 - small);
    room = mix(room, vec3(0.35, 0.33, 0.29), clamp(step(0.55 - 0.5 * chance(cell, seed + 14u), inside.y) * blind, 0.0, 1.0));
    vec3 warm = mix(vec3(1.0, 0.66, 0.32), vec3(0.85, 0.9, 1.0), step(0.8, chance(cell, seed + 15u)));
    m.albedo = mix(m.albedo, room, part);
    m.roughness = mix(m.roughness, 0.07, part);
    m.reflectance = mix(m.reflectance, 0.09, part);
    // Panes lean a little, each in its own way: reflections break from pane to pane.
    vec2 lean = (vec2(chance(cell, seed + 16u), chance(cell, seed + 17u)) - 0.5) * 0.03 * (1.0 - small);
    m.normal.xy = mix(m.normal.xy, lean, part);
    m.glow += part * on * warm * lamp_light.w * (0.55 + 0.6 * chance(cell, seed + 18u)) * (0.75 + 0.35 * inside.y);
}

// One window per cell: frame, sill shadow, glass.
Surface windowed(Surface m, vec2 size, vec2 low, vec2 high, vec3 trim, bool sill) {
    vec2 cell = floor(w / size), q = w - cell * size;
    vec2 in_low = q - low, in_high = high - q;
    vec2 c = clamp(min(in_low, in_high) / foot + 0.5, 0.0, 1.0);
    float opening = c.x * c.y;
    vec2 g = clamp((min(in_low, in_high) - 0.07) / foot + 0.5, 0.0, 1.0);
    float bar = max(line(q.x - 0.5 * (low.x + high.x), 0.03, foot.x), line(q.y - mix(low.y, high.y, 0.62), 0.03, foot.y));
    float small = smoothstep(0.35, 1.2, max(foot.x / size.x, foot.y / size.y) * 2.0);
    // Far away a cell is smaller than a pixel: its mean takes over.
    float mean = (high.x - low.x) * (high.y - low.y) / (size.x * size.y);
    float glass = mix(g.x * g.y * (1.0 - bar), mean * 0.8, small);
    opening = mix(opening, mean, small);
    m.albedo = mix(m.albedo, trim, opening);
    float under = clamp((low.y - q.y) / 0.12, 0.0, 1.0) * clamp((q.y - low.y + 0.16) / foot.y + 0.5, 0.0, 1.0) * clamp(min(q.x - low.x + 0.1, high.x + 0.1 - q.x) / foot.x + 0.5, 0.0, 1.0);
    if (sill) m.albedo *= mix(1.0, q.y > low.y - 0.07 ? 1.15 : 0.62, under * (1.0 - small) * (1.0 - opening));
    vec2 inside = (q - 0.5 * (low + high)) / (high - low);
    glaze(m, glass, ivec2(cell), inside, small);
    // The reveal shades the upper edge of the glass.
    m.albedo *= 1.0 - 0.6 * opening * falls(0.0, 0.16, in_high.y) * (1.0 - small);
    return m;
}

Surface house() {
    float pick = chance_of(seed, 21u);
    vec3 paint = pick < 0.4 ? base : (pick < 0.75 ? second : house_third.rgb);
    Surface m = wall(paint);
    float eaves = 0.55 * size.z, storey = eaves / max(1.0, floor(eaves / 2.6));
    vec3 trim = mix(vec3(0.75), vec3(0.22, 0.13, 0.07), step(0.7, chance_of(seed, 22u)));
    float along = chance_of(seed, 25u) < 0.5 ? 2.4 : 3.1;
    if (w.y < eaves && w.y > 0.0) m = windowed(m, vec2(along, storey), vec2(0.5 * along - 0.5, 0.32 * storey), vec2(0.5 * along + 0.5, 0.82 * storey), trim, true);
    // Timber or boards under some gables; a plinth.
    float gable = clamp((w.y - eaves) / foot.y + 0.5, 0.0, 1.0) * step(0.5, chance_of(seed, 26u));
    m.albedo = mix(m.albedo, vec3(0.16, 0.085, 0.045) * (0.8 + 0.4 * stripes(w.x / 0.2, 0.85, foot.x / 0.2)), gable);
    m.albedo *= mix(0.55, 1.0, clamp((w.y - 0.5) / foot.y + 0.5, 0.0, 1.0));
    return m;
}

Surface tower() {
    Surface m = wall(base);
    float wide = mix(0.95, 0.25, tower_state.x);
    float rows = 3.1;
    vec2 size = vec2(chance_of(seed, 23u) < 0.5 ? 3.4 : 1.7, rows);
    m.albedo = mix(m.albedo, second * (0.9 + 0.2 * grain.r), stripes(w.y / rows, 0.28, foot.y / rows));
    m = windowed(m, size, vec2(size.x * 0.5 * wide * 0.5, 0.9), vec2(size.x * (1.0 - 0.25 * wide), 2.75), vec3(0.12, 0.125, 0.13), false);
    float rib = joints(w.x / size.x, 0.09, foot.x / size.x);
    m.albedo = mix(m.albedo, second * 0.8, rib * 0.7);
    return m;
}

Surface hangar() {
    float period = w.x / 0.32;
    float near = 1.0 - smoothstep(0.2, 0.5, foot.x / 0.32);
    Surface m = plain_surface(chance_of(seed, 24u) < 0.5 ? base : second, vec3(0.0));
    m.normal.x = 0.75 * sin(period * 6.2831853) * near;
    m.albedo *= 1.0 + 0.25 * (wear.g - 0.5) - 0.3 * surface_state.x * smoothstep(0.5, 0.9, grain.g);
    m.albedo = mix(m.albedo, vec3(0.25, 0.11, 0.05), 0.5 * surface_state.x * smoothstep(0.62, 0.95, grain.g * 0.7 + wear.g * 0.35) );
    float band = clamp((w.y - 0.9) / foot.y + 0.5, 0.0, 1.0);
    m.albedo = mix(second * 0.55, m.albedo, band);
    // A sliding door every 14 m.
    vec2 q = vec2(mod(w.x + 3.5, 14.0) - 7.0, w.y);
    float door = clamp((2.9 - abs(q.x)) / foot.x + 0.5, 0.0, 1.0) * clamp((4.2 - q.y) / foot.y + 0.5, 0.0, 1.0);
    vec3 leaf = vec3(0.12, 0.13, 0.14) * (1.0 + 0.5 * stripes(q.y / 0.5, 0.5, foot.y / 0.5));
    m.albedo = mix(m.albedo, leaf, door);
    m.normal.x *= 1.0 - door;
    m.roughness = 0.45;
    m.reflectance = 0.06;
    return m;
}

Surface pit() {
    Surface m = wall(variation < 0.3 ? vec3(0.5, 0.2, 0.05) : base);
    if (variation < 0.3) return m;
    float bays = size.x < 45.0 ? 6.0 : (size.x < 110.0 ? 14.0 : 28.0), wide = size.x / bays;
    float ground = 0.46 * size.z, deck_at = 0.8 * size.z;
    float column = floor((w.x + 0.5 * size.x) / wide), q = w.x + 0.5 * size.x - column * wide;
    ivec2 cell = ivec2(int(column), 0);
    if (w.y < ground) {
        float open_door = step(chance(cell, seed + 31u), 0.6), high = 0.8 * ground;
        float door = clamp((0.4 * wide - abs(q - 0.5 * wide)) / foot.x + 0.5, 0.0, 1.0) * clamp((high - w.y) / foot.y + 0.5, 0.0, 1.0);
        vec3 shutter = mix(vec3(0.62), second, 0.5) * (0.8 + 0.25 * stripes(w.y / 0.18, 0.5, foot.y / 0.18));
        float bright = smoothstep(0.0, high, w.y) * (0.6 + 0.4 * chance(cell, seed + 32u));
        // Inside an open garage: a dark floor, a lit back wall, tool benches.
        float bench = step(w.y, 1.0 + 0.3 * chance(ivec2(int(floor(w.x * 1.7)), 3), 5u));
        vec3 room = mix(vec3(0.02), vec3(0.16, 0.17, 0.18), bright) * (1.0 - 0.5 * bench);
        m.albedo = mix(m.albedo, mix(shutter, room, open_door), door);
        m.glow += door * open_door * vec3(1.0, 0.95, 0.85) * (0.03 + 0.35 * lamp_light.w) * bright;
        float plate = clamp(min(q - 0.2 * wide, 0.8 * wide - q) / foot.x + 0.5, 0.0, 1.0) * clamp(min(w.y - high - 0.1, ground - 0.12 - w.y) / foot.y + 0.5, 0.0, 1.0);
        m.albedo = mix(m.albedo, brand_paint[int(chance(cell, seed + 33u) * 15.99) * 2].rgb, plate * 0.9);
    } else {
        float low = w.y < deck_at ? ground : deck_at, tall = w.y < deck_at ? deck_at - ground : 0.2 * size.z;
        m = windowed(m, vec2(0.5 * wide, 64.0), vec2(0.06, low + 0.24 * tall), vec2(0.5 * wide - 0.06, low + 0.82 * tall), vec3(0.05), false);
        float band = clamp((0.09 - abs(w.y - deck_at + 0.12)) / foot.y + 0.5, 0.0, 1.0);
        m.albedo = mix(m.albedo, second, band);
    }
    return m;
}

Surface roof() {
    if (variation > 0.7) {  // sheet metal
        float near = 1.0 - smoothstep(0.1, 0.35, across(place_dx.y, place_dy.y));
        Surface m = plain_surface(base.ggg * 0.4 + kind_color[FACADE_HANGAR].rgb * 0.6, vec3(0.0, 0.7 * sin(place.y * 20.0) * near, 0.0));
        m.albedo *= 0.85 + 0.3 * wear.g;
        m.albedo = mix(m.albedo, vec3(0.25, 0.11, 0.05), 0.5 * surface_state.x * smoothstep(0.6, 0.9, wear.g * 0.6 + grain.r * 0.4));
        m.roughness = 0.4;
        m.metal = 0.3;
        return m;
    }
    // Tiles in rows down the slope; the slope falls along the steeper axis of the plan.
    bool turned = abs(own_normal.x) * size.x > abs(own_normal.y) * size.y;
    vec2 step_of = vec2(0.34, 0.4 * max(1.0 - length(face.xy) * 0.4, 0.3)), tile = (turned ? place.yx : place.xy) / step_of;
    vec2 f = vec2(across(place_dx.x, place_dy.x), across(place_dx.y, place_dy.y));
    f = (turned ? f.yx : f) / step_of;
    float row = floor(tile.y), near = 1.0 - smoothstep(0.25, 0.7, max(f.x, f.y));
    float column = floor(tile.x + 0.5 * mod(row, 2.0));
    Surface m = plain_surface(chance_of(seed, 41u) < 0.6 ? base : second, vec3(0.0));
    m.albedo *= 1.0 + 0.4 * near * (chance(ivec2(int(column), int(row)), 7u) - 0.5) + 0.4 * (wear.g - 0.5);
    m.albedo *= 1.0 - 0.45 * near * falls(0.0, 0.2, fract(tile.y));
    m.albedo *= 1.0 + 0.12 * (stripes(tile.y / 3.0, 0.5, f.y / 3.0) - 0.5);
    m.normal = vec3(0.5 * near * sin((tile.x + 0.5 * mod(row, 2.0)) * 6.2831853), 0.0, 0.0);
    float moss = smoothstep(0.6, 0.9, wear.g * 0.7 + grain.r * 0.3) * surface_state.x;
    m.albedo = mix(m.albedo, kind_color[GRASS_WILD].rgb * 0.5, moss * 0.6);
    m.roughness = 0.8;
    return m;
}

Surface facade() {
    if (lies) return flat_roof();
    if (material == FACADE_HOUSE) return house();
    if (material == FACADE_BLOCK) return tower();
    if (material == FACADE_HANGAR) return hangar();
    return pit();
}
