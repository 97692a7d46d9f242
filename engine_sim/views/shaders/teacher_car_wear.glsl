// What a race leaves on cars: a film of dust that the wheels throw up, streaks behind them, soot at the exhausts.

const vec2 AXLES = vec2(-1.3, 1.3);

// How thick the film lies, 0 … 1: on flanks and tail from below, in fans behind the wheels, thin on top.
float film_at(vec3 n, int car, float foot) {
    float earth = frame_time.y, own = chance_of(uint(car), 71u);
    // One read of blotches and streaks, the latter running down.
    vec2 at = vec2(place.z, place.x + place.y) * 0.3 + own * 7.0;
    vec4 mottle = textureLod(details, vec3(at, LAYER_WEAR), log2(max(foot * 0.3 * 512.0, 1e-3)));
    float patchy = mottle.g, fine = mottle.b;
    float tail = smoothstep(0.35, 0.8, -n.x), flank = smoothstep(0.45, 0.8, abs(n.y));
    float high = mix(0.55, 0.85, earth) + 0.5 * (patchy - 0.5);
    float film = (0.35 + 0.65 * max(tail, flank)) * falls(0.5 * high - 0.1, high + 0.12, place.z);
    // Behind each wheel the fan rises to the sill's height and beyond.
    vec2 behind = AXLES - place.x;
    vec2 fan = smoothstep(vec2(0.25), vec2(0.5), behind) * (1.0 - smoothstep(vec2(0.5), vec2(1.1), behind));
    film = max(film, flank * max(fan.x, fan.y) * falls(0.25, 0.7 + 0.2 * earth, place.z + 0.25 * (fine - 0.5)));
    film = max(film, 0.9 * tail * falls(0.3, 1.0 + 0.6 * earth, place.z + 0.5 * (patchy - 0.5)));
    film = max(film, (0.1 + 0.25 * earth) * (0.4 + patchy));
    return clamp(film * (0.7 + 0.8 * fine) * (0.85 + 0.4 * own), 0.0, 1.0);
}

// Dust over a surface: it hides colour and shine; in the wet it is mud, darker and smooth.
void dust(inout Surface m, vec3 n, int car, float foot, float hold) {
    float earth = frame_time.y;
    float film = film_at(n, car, foot) * hold * mix(0.5 + 0.4 * surface_state.x, 0.95, earth);
    vec3 dry = mix(0.9 * kind_color[ASPHALT].rgb + 0.55 * kind_color[SOIL].rgb, kind_color[DIRT_ROAD].rgb, earth);
    m.albedo = mix(m.albedo, dry * mix(1.0, 0.55, weather.x), film);
    m.roughness = mix(m.roughness, mix(0.8, 0.3, weather.x), min(1.3 * film, 1.0));
    m.metal *= 1.0 - film;
    m.reflectance = mix(m.reflectance, 0.04, film);
}

// Black around the two exhausts, which sit in the tail.
float soot() {
    vec2 q = vec2(abs(place.y) - 0.34, place.z - 0.53) * vec2(1.0, 0.8);
    return step(place.x, -2.1) * falls(0.03, 0.2, length(q));
}
