// Barriers, buildings, stands, boards. On buildings w is (along the wall, up) in metres of the object itself.

vec2 w, foot;
vec3 base, second, face;
vec4 grain, wear;

Surface wall(vec3 albedo) {
    Surface m = plain_surface(albedo, vec3((grain.ba - 0.5) * 0.5, 0.0));
    float drip = smoothstep(0.45, 0.95, grain.g) * surface_state.x;
    m.albedo *= (1.0 + 0.8 * (grain.r - 0.5)) * (1.0 - 0.35 * drip) * (1.0 + 0.2 * (wear.g - 0.5));
    // Splashes at the foot.
    m.albedo *= 1.0 - 0.3 * surface_state.x * smoothstep(0.9, 0.0, w.y + 0.4 * (wear.g - 0.5));
    return m;
}

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
    m.albedo *= 1.0 - 0.6 * opening * smoothstep(0.16, 0.0, in_high.y) * (1.0 - small);
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
        float near = 1.0 - smoothstep(0.1, 0.35, across(place.y));
        Surface m = plain_surface(base.ggg * 0.4 + kind_color[FACADE_HANGAR].rgb * 0.6, vec3(0.0, 0.7 * sin(place.y * 20.0) * near, 0.0));
        m.albedo *= 0.85 + 0.3 * wear.g;
        m.albedo = mix(m.albedo, vec3(0.25, 0.11, 0.05), 0.5 * surface_state.x * smoothstep(0.6, 0.9, wear.g * 0.6 + grain.r * 0.4));
        m.roughness = 0.4;
        m.metal = 0.3;
        return m;
    }
    // Tiles in rows down the slope; the slope falls along the steeper axis of the plan.
    vec2 q = abs(own_normal.x) * size.x > abs(own_normal.y) * size.y ? place.yx : place.xy;
    float slope = length(normalize(normal_in).xy);
    vec2 tile = vec2(q.x / 0.34, q.y / (0.4 * max(1.0 - slope * 0.4, 0.3)));
    vec2 f = vec2(across(tile.x), across(tile.y));
    float row = floor(tile.y), near = 1.0 - smoothstep(0.25, 0.7, max(f.x, f.y));
    float column = floor(tile.x + 0.5 * mod(row, 2.0));
    Surface m = plain_surface(chance_of(seed, 41u) < 0.6 ? base : second, vec3(0.0));
    m.albedo *= 1.0 + 0.4 * near * (chance(ivec2(int(column), int(row)), 7u) - 0.5) + 0.4 * (wear.g - 0.5);
    m.albedo *= 1.0 - 0.45 * near * smoothstep(0.2, 0.0, fract(tile.y));
    m.albedo *= 1.0 + 0.12 * (stripes(tile.y / 3.0, 0.5, f.y / 3.0) - 0.5);
    m.normal = vec3(0.5 * near * sin((tile.x + 0.5 * mod(row, 2.0)) * 6.2831853), 0.0, 0.0);
    float moss = smoothstep(0.6, 0.9, wear.g * 0.7 + grain.r * 0.3) * surface_state.x;
    m.albedo = mix(m.albedo, kind_color[GRASS_WILD].rgb * 0.5, moss * 0.6);
    m.roughness = 0.8;
    return m;
}

Surface flat_roof() {
    Surface m = plain_surface(vec3(0.16, 0.16, 0.165) * (0.8 + 0.4 * wear.g), vec3((grain.ba - 0.5) * 0.4, 0.0));
    m.roughness = 0.9;
    return m;
}

// People on rows of seats. Steps seen from below show their risers, so rows are counted by height.
Surface seats() {
    float row_high = 0.52 * size.z / 9.0;
    vec2 q = vec2(place.x / 0.58, (place.z - 0.1 * size.z) / row_high), cell = floor(q), at = q - cell;
    ivec2 id = ivec2(cell) + ivec2(int(seed & 1023u), 0);
    vec2 per_pixel = max(vec2(across(place.x) / 0.58, across(place.z) / row_high), vec2(1e-4));
    float small = smoothstep(0.35, 1.1, max(per_pixel.x, per_pixel.y)), tiny = smoothstep(0.9, 3.5, max(per_pixel.x, per_pixel.y));
    float tread = step(0.9, normalize(own_normal / max(size, vec3(1e-3)) * size).z) * step(0.97, normalize(normal_in).z);
    // Blocks of two colours, stairs between them.
    float block = floor(cell.x / 18.0);
    float stairs = step(mod(cell.x, 18.0), 0.5) * (1.0 - smoothstep(0.5, 4.0, per_pixel.x));
    vec3 chair = mix(base, second, step(0.6, unit_of(hash2(ivec2(int(block), 3)))));
    float crowd = surface_state.y * (0.72 + 0.5 * noise2(cell * 0.16 + 3.0));
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
    float back = mix(smoothstep(0.08, 0.14, at.y) * smoothstep(0.62, 0.54, at.y), 0.5, small) * (1.0 - stairs);
    vec3 bare = mix(vec3(0.19), chair, mix(back, 0.55, tread));
    Surface m = plain_surface(mix(bare, cloth, alpha), vec3(0.0));
    m.occlusion = mix(mix(0.4, 1.0, smoothstep(0.0, 0.7, at.y)), 0.78, max(small, tread));
    m.through = 0.25 * alpha;
    return m;
}

Surface board() {
    vec3 qx = dFdx(place), qy = dFdy(place);
    vec2 ux = dFdx(uv_in), uy = dFdy(uv_in);
    float shape = length(qx * uy.y - qy * ux.y) / max(length(qy * ux.x - qx * uy.x), 1e-9);
    float copies = max(1.0, round(shape * 0.5 - 0.15));
    float number = floor(uv_in.x * copies);
    int brand = int(mixed(seed + uint(surface_state.z) + uint(number) * 977u) & 15u);
    if (copies > 4.0) brand = int(mixed(seed + uint(surface_state.z) + uint(mod(number, 2.0)) * 977u) & 15u);
    vec3 paper = brand_paint[brand * 2].rgb, ink = brand_paint[brand * 2 + 1].rgb;
    vec2 at = clamp(vec2(uv_in.x * copies - number, uv_in.y), 0.006, 0.994);
    vec2 low = vec2(float(brand & 3) * 512.0, float(brand >> 2) * 256.0), panel = vec2(512.0, 256.0) / vec2(2048.0, 1152.0);
    vec2 scale = vec2(copies, 1.0) * panel;
    vec2 mark = textureGrad(print_atlas, low / vec2(2048.0, 1152.0) + at * panel, ux * scale, uy * scale).rg;
    vec3 accent = mix(ink, paper, 0.35) * vec3(1.0, 0.85, 0.7);
    vec3 print_color = mix(mix(paper, accent, mark.g), ink, mark.r);
    Surface m = plain_surface(print_color * (0.9 + 0.12 * wear.g) * (1.0 - 0.18 * surface_state.x * smoothstep(0.5, 0.9, grain.g)), vec3(0.0));
    m.roughness = 0.42;
    m.glow = print_color * lamp_light.w * 0.3 * smoothstep(-0.2, 1.0, uv_in.y);
    return m;
}

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
    float bolt = smoothstep(0.035, 0.015, length(vec2(mod(uv_in.x, 4.0) - 2.12, h - 0.64))) * (1.0 - smoothstep(0.02, 0.06, foot.x));
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
    float scrape = smoothstep(0.6, 0.9, wear.b) * smoothstep(0.75, 0.45, uv_in.y) * smoothstep(0.1, 0.3, uv_in.y);
    m.albedo *= (1.0 - 0.6 * gap) * (1.0 - 0.45 * scrape);
    // Advertisements painted on some stretches.
    vec2 at = vec2(mod(uv_in.x, 12.0) / 3.2 - 0.2, (uv_in.y - 0.2) / 0.75);
    ivec2 stretch = ivec2(int(floor(uv_in.x / 12.0)), 0);
    int brand = int(mixed(hash2(ivec2(int(floor(uv_in.x / 96.0)), 5)) + uint(surface_state.z)) & 15u);
    float shown = step(chance(ivec2(int(floor(uv_in.x / 96.0)), 7), 3u), 0.5);
    vec2 inside = clamp(min(at, 1.0 - at) * vec2(3.2, 0.75) / foot + 0.5, 0.0, 1.0);
    vec2 low = vec2(float(brand & 3) * 512.0, float(brand >> 2) * 256.0), picture = vec2(2048.0, 1152.0), size = vec2(512.0, 256.0);
    vec2 scale = vec2(1.0 / 3.2, 1.0 / 0.75) * size / picture;
    vec2 mark = textureGrad(print_atlas, (low + clamp(at, 0.01, 0.99) * size) / picture, dFdx(uv_in) * scale, dFdy(uv_in) * scale).rg;
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

Surface fence(vec3 ray) {
    float h = uv_in.y;
    vec2 d = vec2(uv_in.x + h, uv_in.x - h) / 0.09;
    vec2 f = vec2(across(d.x), across(d.y));
    float mesh = max(joints(d.x, 0.14, f.x), joints(d.y, 0.14, f.y));
    mesh = max(mesh, max(line(h - 1.47, 0.03, foot.y), line(h - 0.06, 0.04, foot.y)));
    // What stands behind: shade of the ground below, distance above.
    vec3 behind = mix(kind_color[GRASS_WILD].rgb * 0.55, kind_color[LEAVES].rgb * 0.7, smoothstep(0.2, 1.2, h));
    behind *= 0.7 + 0.6 * wear.g;
    Surface m = plain_surface(mix(behind, base, mesh), vec3(0.0));
    m.metal = 0.5 * mesh;
    m.roughness = mix(0.9, 0.4, mesh);
    m.occlusion = mix(0.75, 1.0, mesh);
    return m;
}

Surface plain_metal(vec3 paint, float metal) {
    Surface m = plain_surface(paint * (0.9 + 0.2 * wear.g), vec3(0.0));
    m.metal = metal;
    m.roughness = 0.4 + 0.2 * wear.g;
    return m;
}

void main() {
    face = normalize(normal_in);
    base = kind_color[material].rgb;
    second = kind_second[material].rgb;
    vec4 kind = kind_detail[material];
    bool barrier = material >= GUARD_RAIL && material <= FENCE;
    vec3 side = abs(normalize(own_normal));
    bool lies = side.z > 0.8;
    w = lies ? place.xy : (side.x > side.y ? place.yz : place.xz);
    if (barrier || material == BOARD_FACE) w = uv_in;
    vec2 px = dFdx(w), py = dFdy(w);
    foot = max(vec2(length(vec2(px.x, py.x)), length(vec2(px.y, py.y))), vec2(1e-4));
    vec2 shift = vec2(chance_of(seed, 51u), chance_of(seed, 52u)) * 9.0;
    grain = textureGrad(details, vec3((w + shift) * kind.y, kind.x), px * kind.y, py * kind.y);
    wear = textureGrad(details, vec3((w + shift) / 7.0, LAYER_WEAR), px / 7.0, py / 7.0);
    vec3 ray = normalize(from_eye);

    Surface m;
    if (material == GUARD_RAIL) m = rail();
    else if (material == CONCRETE_WALL) m = concrete_wall();
    else if (material == TYRE_WALL) m = tyre_wall();
    else if (material == FENCE) m = fence(ray);
    else if (material == ROOF) { if (variation < 0.3) m = flat_roof(); else m = roof(); }
    else if (material == STAND_SEATS) m = seats();
    else if (material == BOARD_FACE) m = board();
    else if (material == FACADE_HOUSE && !lies) m = house();
    else if (material == FACADE_BLOCK && !lies) m = tower();
    else if (material == FACADE_HANGAR && !lies) m = hangar();
    else if (material == FACADE_PIT && !lies) m = pit();
    else if (material >= FACADE_HOUSE && material <= FACADE_PIT) m = flat_roof();
    else if (material == METAL) { m = plain_metal(variation < 0.3 ? second * 0.5 : base, 0.6); if (variation > 0.75) m.glow = vec3(1.0, 0.82, 0.55) * 6.0 * max(lamp_light.w - 0.2, 0.0) * step(face.z, -0.5); }
    else if (material == STAND_FRAME) {
        m = wall(mix(base, second, lies ? 0.0 : 0.25));
        m.albedo *= 1.0 - 0.35 * max(joints(w.x / 3.0, 0.012, foot.x / 3.0), joints(w.y / 1.5, 0.02, foot.y / 1.5));
        m.roughness = 0.6;
    } else m = plain_metal(base, 0.2);
    m.albedo *= mix(1.0, 0.75, weather.x);
    m.roughness = mix(m.roughness, min(m.roughness, 0.4), weather.x);
    m.normal = bumped(face, w, m.normal.xy);
    target = finished(m, openness, 0);
}
