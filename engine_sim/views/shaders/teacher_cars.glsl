// Cars. place is in the car's own axes (x forward, y left, z up); wheels turn around their y.

const float BRAKE_GLOW = 5.5;

// Where a thing's print is looked up, how that changes to the next pixel, and whether there is any: one read serves all.
struct Print { vec2 at; vec2 wide; float inside; };

// Two digits in a box of half width 1, half height 1.
Print number_at(vec2 q, int number, vec2 per_pixel) {
    bool two = number > 9;
    int digit = two ? (q.x < 0.0 ? number / 10 : number % 10) : number;
    vec2 cell = vec2(two ? fract(q.x + 1.0) : q.x * 0.5 + 0.5, q.y * 0.5 + 0.5);
    cell.x = two ? cell.x : clamp(q.x + 0.5, 0.0, 1.0);
    vec2 at = vec2((float(digit) + clamp(cell.x, 0.03, 0.97)) * 128.0, 1024.0 + clamp(cell.y, 0.02, 0.98) * 128.0) / vec2(2048.0, 1152.0);
    float inside = step(abs(q.x), two ? 1.0 : 0.5) * step(abs(q.y), 1.0);
    return Print(at, per_pixel * vec2(128.0, 64.0) / vec2(2048.0, 1152.0), inside);
}

// The dark panel between the tail lights carries a maker's name. These brands have theirs in the middle of their panel.
Print maker_name(int car, float foot) {
    vec2 q = vec2(-place.y / 0.3, (place.z - 0.68) / 0.04), panel = vec2(512.0, 256.0) / vec2(2048.0, 1152.0);
    int brand = 1 + 5 * int(mixed(uint(car) + uint(surface_state.z)) % 3u);
    vec2 at = vec2(float(brand & 3), float(brand >> 2)) + vec2(0.5 + 0.44 * q.x, 0.5 + 0.23 * q.y);
    float inside = step(place.x, -2.2) * step(max(abs(q.x), abs(q.y)), 1.0);
    return Print(at * panel, foot * vec2(0.44 / 0.3, 0.23 / 0.04) * panel, inside);
}

// Number roundels on doors, roof and bonnet: a place in them, 1 at the rim.
vec2 roundel(vec3 n) {
    if (abs(n.y) > 0.6 && place.z < 0.8) return vec2((place.y > 0.0 ? -1.0 : 1.0) * (place.x + 0.1), place.z - 0.52) / 0.235;
    if (n.z > 0.6 && place.z > 1.0) return vec2(-place.y, place.x + 0.34) / 0.27;
    if (n.z > 0.5 && place.x > 0.9) return vec2(-place.y, place.x - 1.42) / 0.3;
    return vec2(9.0);
}

vec3 livery_color(int car, vec3 n, vec2 q, float ink, float foot) {
    vec4 base = livery[car * 3], second = livery[car * 3 + 1], accent = livery[car * 3 + 2];
    int pattern = int(second.w);
    float y = abs(place.y), x = place.x, z = place.z;
    vec3 color = base.rgb;
    float mark = 0.0, thin = 0.0;
    if (pattern == 1) {
        mark = clamp((0.12 - abs(y - 0.24)) / foot + 0.5, 0.0, 1.0) * step(abs(n.y), 0.6);
        thin = line(y - 0.42, 0.018, foot) * step(abs(n.y), 0.6);
    } else if (pattern == 2) {
        float slope = z - 0.5 - 0.05 * x;
        mark = clamp((0.1 - abs(slope)) / foot + 0.5, 0.0, 1.0) * smoothstep(0.4, 0.6, abs(n.y));
        thin = line(slope - 0.15, 0.018, foot) * smoothstep(0.4, 0.6, abs(n.y));
    } else if (pattern == 3) {
        float slope = x * 0.8 + z * 1.3 + place.y * 0.55 + 0.1;
        mark = clamp((0.36 - abs(slope)) / foot + 0.5, 0.0, 1.0);
        thin = line(abs(slope) - 0.46, 0.03, foot);
    } else if (pattern == 4) {
        float slope = z - 0.56 - 0.16 * sin(x * 0.9);
        mark = clamp(-slope / foot + 0.5, 0.0, 1.0);
        thin = line(slope - 0.02, 0.02, foot);
    } else if (pattern == 5) {
        mark = max(clamp((0.3 - abs(x + 1.75)) / foot + 0.5, 0.0, 1.0), clamp((0.22 - abs(x - 1.35)) / foot + 0.5, 0.0, 1.0));
        thin = max(line(x + 1.33, 0.03, foot), line(x - 1.02, 0.025, foot));
    }
    color = mix(color, second.rgb, mark);
    color = mix(color, accent.rgb, thin * 0.9);
    float disc = clamp((1.0 - length(q)) * 0.25 / foot + 0.5, 0.0, 1.0);
    bool dark_base = brightness(base.rgb) < 0.6;
    vec3 plate = dark_base ? vec3(0.86) : vec3(0.03);
    color = mix(color, plate, disc);
    color = mix(color, dark_base ? vec3(0.02) : vec3(0.88), ink * disc);
    return color;
}

// Shut lines of doors, bonnet, boot lid and bumpers.
float gaps_between_panels(vec3 n, float foot) {
    float flank = step(0.6, abs(n.y)) * step(place.z, 0.82), top = step(0.5, n.z), tail = step(0.5, -n.x);
    float y = abs(place.y);
    float gap = max(line(place.x - 0.62 + 0.1 * place.z, 0.006, foot), line(place.x + 0.72 + 0.15 * place.z, 0.006, foot)) * flank;
    gap = max(gap, line(place.x - 0.98, 0.006, foot) * top * step(y, 0.7));
    gap = max(gap, line(place.x + 1.7, 0.006, foot) * top * step(y, 0.62));
    gap = max(gap, line(y - 0.62, 0.006, foot) * top * step(place.x, -1.7));
    gap = max(gap, line(place.z - 0.6, 0.006, foot) * max(tail, flank * step(place.x, -1.72)));
    return max(gap, line(y - 0.81, 0.006, foot) * tail * step(0.6, place.z));
}

// Slats in the deck behind the rear window, through which the engine breathes.
float grille(vec3 n, float foot) {
    vec2 q = vec2(0.13 - abs(place.x + 1.88), 0.3 - abs(place.y));
    float inside = clamp(min(q.x, q.y) / foot + 0.5, 0.0, 1.0) * step(0.6, n.z) * step(place.z, 0.95);
    return inside * stripes(place.x / 0.052, 0.6, foot / 0.052);
}

Surface paint(int car, vec3 n, vec2 q, float ink, float foot) {
    Surface m = plain_surface(livery_color(car, n, q, ink, foot) * 0.74, face);
    float finish = livery[car * 3].w;  // 0 gloss, 1 metallic, 2 matte
    m.roughness = finish > 1.5 ? 0.42 : 0.1;
    m.reflectance = finish > 1.5 ? 0.04 : 0.085;
    if (finish > 0.5 && finish < 1.5) {
        m.metal = 0.45;
        m.roughness = 0.22;
        float flake = chance(ivec2(floor(place.xy * 260.0)) + ivec2(floor(place.z * 260.0) * 7.0), 3u);
        m.albedo *= 1.0 + 0.5 * (flake - 0.5) * (1.0 - smoothstep(0.002, 0.008, foot));
    }
    m.albedo *= 1.0 - 0.75 * gaps_between_panels(n, foot);
    float slats = grille(n, foot);
    m.albedo = mix(m.albedo, vec3(0.012), slats);
    m.roughness = mix(m.roughness, 0.6, slats);
    m.metal *= 1.0 - slats;
    m.albedo *= 1.0 - 0.7 * soot();
    m.occlusion = (0.75 + 0.25 * smoothstep(0.1, 0.5, place.z)) * (1.0 - 0.6 * slats);
    return m;
}

Surface tyre() {
    float r = length(place.xz);
    Surface m = plain_surface(vec3(0.022), vec3(0.0));
    float side = smoothstep(0.1, 0.13, abs(place.y));
    float around = atan(place.z, place.x) / 6.2831853;
    m.albedo *= 1.0 + 0.8 * side * step(fract(around * 3.0), 0.45) * falls(0.004, 0.012, abs(r - 0.275));
    vec3 picked_up = mix(kind_color[ASPHALT].rgb * 0.3, kind_color[DIRT_ROAD].rgb * 0.7, frame_time.y);
    m.albedo = mix(m.albedo, picked_up, mix(0.2 * (1.0 - side), 0.6, frame_time.y));
    m.roughness = 0.78;
    return m;
}

Surface rim() {
    float r = length(place.xz), turn = atan(place.z, place.x) / 6.2831853;
    float spoke = abs(fract(turn * 10.0) - 0.5) * 2.0;
    float gap = smoothstep(0.42, 0.62, spoke) * smoothstep(0.06, 0.1, r) * (1.0 - smoothstep(0.19, 0.215, r));
    Surface m = plain_surface(mix(kind_color[CAR_RIM].rgb, vec3(0.02), gap), vec3(0.0));
    m.metal = 0.85 * (1.0 - gap);
    m.roughness = 0.28 + 0.4 * gap;
    m.occlusion = 1.0 - 0.8 * gap;
    float caked = 0.12 * surface_state.x + 0.5 * frame_time.y;
    m.albedo = mix(m.albedo, kind_color[DIRT_ROAD].rgb, caked * (1.0 - gap));
    m.metal *= 1.0 - caked;
    m.roughness = mix(m.roughness, 0.8, caked);
    return m;
}

// Rows of small lamps behind one glass, in a dark frame.
Surface tail_light(float braking, float foot) {
    Surface m = plain_surface(vec3(0.32, 0.01, 0.012), face);
    vec2 q = vec2(abs(place.y) - 0.56, place.z - 0.68);
    vec2 from_edge = vec2(0.22, 0.045) - abs(q);
    float frame = 1.0 - clamp((min(from_edge.x, from_edge.y) - 0.008) / foot + 0.5, 0.0, 1.0);
    float cells = 1.0 - joints(q.x / 0.055, 0.16, foot / 0.055);
    float row = 1.0 - line(q.y, 0.004, foot);
    float shine = mix(0.45, 1.1, cells * row);
    m.albedo = mix(m.albedo * (0.5 + 0.6 * shine), vec3(0.015), frame);
    m.roughness = 0.12;
    m.glow = vec3(1.0, 0.035, 0.02) * (0.06 + 1.6 * lamp_light.y + BRAKE_GLOW * braking * brake_light.x) * shine * (1.0 - frame);
    return m;
}

Surface car() {
    if (dot(face, from_eye) > 0.0) face = -face;
    int number = clamp(object - 1, 0, 15);
    float foot = max(max(length(place_dx), length(place_dy)), 1e-4);
    float braking = 0.0;
    for (int i = 0; i < car_count.x; ++i) if (int(car_place[i].w) == object) braking = car_turn[i].z;
    vec3 n = normalize(own_normal);
    vec2 q = roundel(n);
    Print read = number_at(q / 0.66, int(livery[number * 3 + 2].w), vec2(foot) / 0.16);
    if (material == CAR_TRIM) read = maker_name(number, foot);
    float ink = textureGrad(print_atlas, read.at, vec2(read.wide.x, 0.0), vec2(0.0, read.wide.y)).r * read.inside;
    Surface m;
    if (material == CAR_PAINT) m = paint(number, n, q, ink, foot);
    else if (material == CAR_TYRE) m = tyre();
    else if (material == CAR_RIM) m = rim();
    else {
        m = plain_surface(vec3(0.02), face);
        m.roughness = 0.5;
        if (material == CAR_GLASS) {
            m.albedo = vec3(0.012, 0.014, 0.016);
            m.roughness = 0.045;
            m.reflectance = 0.075;
        } else if (material == CAR_HEADLIGHT) {
            m.albedo = vec3(0.55);
            m.roughness = 0.08;
            m.reflectance = 0.1;
            m.metal = 0.5;
            m.glow = vec3(1.0, 0.95, 0.86) * (0.12 + 4.5 * lamp_light.x);
        } else if (material == CAR_TAILLIGHT) {
            m = tail_light(braking, foot);
        } else if (variation < 0.3) {
            m.albedo = vec3(0.008);
        } else {
            // Woven carbon, seen only close by.
            vec2 weave = place.xy * 90.0 + place.zz * 90.0;
            float near = 1.0 - smoothstep(0.003, 0.01, foot);
            m.albedo *= 1.0 + 0.7 * near * (stripes(weave.x, 0.5, 0.4) + stripes(weave.y, 0.5, 0.4) - 1.0);
            m.roughness = 0.32;
            m.albedo = mix(m.albedo, vec3(0.8), ink);
        }
    }
    // Wheels know their own dust; wipers and warm lamps keep theirs off.
    float hold = material == CAR_PAINT ? 1.0 : material == CAR_TRIM ? 0.5 : 0.4;
    if (material != CAR_TYRE && material != CAR_RIM) dust(m, n, number, foot, hold);
    m.normal = face;
    m.albedo *= mix(1.0, 0.9, weather.x);
    return m;
}
