// Cars. place is in the car's own axes (x forward, y left, z up); wheels turn around their y.

const float BRAKE_GLOW = 5.5;

// Two digits in a box of half width 1, half height 1.
float number_at(vec2 q, int number, vec2 per_pixel) {
    bool two = number > 9;
    int digit = two ? (q.x < 0.0 ? number / 10 : number % 10) : number;
    vec2 cell = vec2(two ? fract(q.x + 1.0) : q.x * 0.5 + 0.5, q.y * 0.5 + 0.5);
    cell.x = two ? cell.x : clamp(q.x + 0.5, 0.0, 1.0);
    vec2 at = vec2((float(digit) + clamp(cell.x, 0.03, 0.97)) * 128.0, 1024.0 + clamp(cell.y, 0.02, 0.98) * 128.0) / vec2(2048.0, 1152.0);
    float inside = step(abs(q.x), two ? 1.0 : 0.5) * step(abs(q.y), 1.0);
    vec2 scale = vec2(128.0, 64.0) / vec2(2048.0, 1152.0);
    return textureGrad(print_atlas, at, vec2(per_pixel.x, 0.0) * scale, vec2(0.0, per_pixel.y) * scale).r * inside;
}

vec3 livery_color(int car, vec3 n, float foot) {
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
    // Number roundels: doors, roof, bonnet.
    vec2 q = vec2(9.0);
    if (abs(n.y) > 0.6 && z < 0.8) q = vec2((place.y > 0.0 ? -1.0 : 1.0) * (x + 0.1), z - 0.52) / 0.235;
    else if (n.z > 0.6 && z > 1.0) q = vec2(-place.y, x + 0.34) / 0.27;
    else if (n.z > 0.5 && x > 0.9) q = vec2(-place.y, x - 1.42) / 0.3;
    float disc = clamp((1.0 - length(q)) * 0.25 / foot + 0.5, 0.0, 1.0);
    bool dark_base = brightness(base.rgb) < 0.6;
    vec3 plate = dark_base ? vec3(0.86) : vec3(0.03);
    color = mix(color, plate, disc);
    float ink = number_at(q / 0.66, int(accent.w), vec2(foot) / 0.16);
    color = mix(color, dark_base ? vec3(0.02) : vec3(0.88), ink * disc);
    return color;
}

Surface paint(int car, float foot) {
    vec3 n = normalize(own_normal);
    Surface m = plain_surface(livery_color(car, n, foot) * 0.74, face);
    float finish = livery[car * 3].w;  // 0 gloss, 1 metallic, 2 matte
    m.roughness = finish > 1.5 ? 0.42 : 0.1;
    m.reflectance = finish > 1.5 ? 0.04 : 0.085;
    if (finish > 0.5 && finish < 1.5) {
        m.metal = 0.45;
        m.roughness = 0.22;
        float flake = chance(ivec2(floor(place.xy * 260.0)) + ivec2(floor(place.z * 260.0) * 7.0), 3u);
        m.albedo *= 1.0 + 0.5 * (flake - 0.5) * (1.0 - smoothstep(0.002, 0.008, foot));
    }
    // Shut lines of doors and bonnet; grime low on the sides.
    float flank = step(0.6, abs(n.y)) * step(place.z, 0.82);
    float gap = max(line(place.x - 0.62 + 0.1 * place.z, 0.006, foot), line(place.x + 0.72 + 0.15 * place.z, 0.006, foot)) * flank;
    gap = max(gap, line(place.x - 0.98, 0.006, foot) * step(0.5, n.z) * step(abs(place.y), 0.7));
    m.albedo *= 1.0 - 0.75 * gap;
    float grime = surface_state.x * falls(0.12, 0.45, place.z) * (0.6 + 0.4 * value_noise2(place.xz * 9.0));
    m.albedo = mix(m.albedo, kind_color[SOIL].rgb * 0.6, grime * 0.6);
    m.roughness = mix(m.roughness, 0.7, grime * 0.7);
    m.occlusion = 0.75 + 0.25 * smoothstep(0.1, 0.5, place.z);
    return m;
}

Surface tyre() {
    float r = length(place.xz);
    Surface m = plain_surface(vec3(0.022), vec3(0.0));
    float side = smoothstep(0.1, 0.13, abs(place.y));
    float around = atan(place.z, place.x) / 6.2831853;
    m.albedo *= 1.0 + 0.8 * side * step(fract(around * 3.0), 0.45) * falls(0.004, 0.012, abs(r - 0.275));
    m.albedo = mix(m.albedo, kind_color[ASPHALT].rgb * 0.3, 0.2 * (1.0 - side));
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
    return m;
}

Surface car() {
    if (dot(face, from_eye) > 0.0) face = -face;
    int number = clamp(object - 1, 0, 15);
    float foot = max(max(length(place_dx), length(place_dy)), 1e-4);
    float braking = 0.0;
    for (int i = 0; i < car_count.x; ++i) if (int(car_place[i].w) == object) braking = car_turn[i].z;
    Surface m;
    if (material == CAR_PAINT) m = paint(number, foot);
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
            m.albedo = vec3(0.32, 0.01, 0.012);
            m.roughness = 0.12;
            m.glow = vec3(1.0, 0.035, 0.02) * (0.06 + 1.6 * lamp_light.y + BRAKE_GLOW * braking * brake_light.x);
        } else if (variation < 0.3) {
            m.albedo = vec3(0.008);
        } else {
            // Woven carbon, seen only close by.
            vec2 weave = place.xy * 90.0 + place.zz * 90.0;
            float near = 1.0 - smoothstep(0.003, 0.01, foot);
            m.albedo *= 1.0 + 0.7 * near * (stripes(weave.x, 0.5, 0.4) + stripes(weave.y, 0.5, 0.4) - 1.0);
            m.roughness = 0.32;
        }
    }
    m.normal = face;
    m.albedo *= mix(1.0, 0.9, weather.x);
    return m;
}
