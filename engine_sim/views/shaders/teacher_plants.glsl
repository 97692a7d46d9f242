// Crowns, needles, bark: anchored to the object, each plant with a hue of its own.

// One isotropic gradient for all three planes: no seam where the plane changes.
vec4 foliage(vec2 p, float layer, float wide) {
    return textureLod(details, vec3(p, layer), log2(max(wide * 512.0, 1e-4)));
}

Surface crown(bool needles) {
    float own = chance_of(seed, 1u), tone_of = chance_of(seed, 2u);
    vec3 shift = vec3(own, tone_of, chance_of(seed, 3u)) * 37.0;
    vec3 side = abs(own_normal);
    vec2 p = facing(side, place + shift);
    float wide = max(length(place_dx), length(place_dy));
    float fine = needles ? 0.36 : 0.46, coarse = needles ? 0.13 : 0.17;
    vec4 leaf = foliage(p * fine, needles ? LAYER_NEEDLES : LAYER_LEAVES, wide * fine);
    vec4 clump = foliage(p.yx * coarse + 0.4, needles ? LAYER_NEEDLES : LAYER_PUFFS, wide * coarse);
    vec4 cloudy = foliage(p * 0.06, LAYER_NOISE, wide * 0.06);

    float body = 0.5 + 0.9 * (variation - 0.5);
    float blend = 0.75 * tone_of + 0.4 * (leaf.g - 0.5) + 0.5 * (clump.g - 0.5) + 0.7 * (cloudy.r - 0.5) + 0.4 * body - 0.15;
    vec3 tint = mix(kind_color[material].rgb, kind_second[material].rgb, clamp(blend, 0.0, 1.0));
    tint *= (0.82 + 0.36 * own) * (1.0 + 0.3 * (clump.g - 0.5) * vec3(1.3, 0.4, -0.3));
    // Young needles at the ends of branches are paler; towards the trunk they are old and brown.
    if (needles) tint *= mix(vec3(0.62, 0.55, 0.5), vec3(1.22, 1.2, 1.02), smoothstep(0.3, 1.0, openness));
    // Light lies on the outer leaves; between clumps the crown is dark.
    float depth = 0.4 * leaf.r + 0.6 * clump.r + 0.35 * (cloudy.g - 0.5);
    float gap = falls(0.12, 0.36, depth) * plant_gaps.x;
    Surface m = plain_surface(tint, face);
    m.albedo *= (0.62 + 1.2 * leaf.r) * (0.62 + 0.75 * clump.r) * (1.0 - 0.7 * gap);
    m.occlusion = clamp((0.52 + 0.95 * depth) * (1.0 - 0.6 * gap), 0.0, 1.1) * (0.8 + 0.2 * face.z);
    vec2 slope = (leaf.ba - 0.5) * (needles ? 1.0 : 1.4) + (clump.ba - 0.5) * 2.4 + (cloudy.rb - 0.5) * 0.9;
    m.normal = bumped(face, facing(side, place_dx), facing(side, place_dy), slope);
    m.through = needles ? 0.3 : 0.6;
    m.roughness = 0.62;
    m.reflectance = 0.035;
    return m;
}

Surface bark() {
    vec2 tile = vec2(0.9, 0.55);
    vec4 ridge = textureGrad(details, vec3(uv_in * tile + chance_of(seed, 4u), LAYER_BARK), uv_dx * tile, uv_dy * tile);
    Surface m = plain_surface(kind_color[BARK].rgb * (0.45 + 1.0 * ridge.r), face);
    m.albedo = mix(m.albedo, kind_second[BARK].rgb * 0.6, smoothstep(0.5, 0.9, ridge.g) * 0.45);
    m.normal = bumped(face, uv_dx, uv_dy, (ridge.ba - 0.5) * 1.6);
    m.occlusion = 0.5 + 0.6 * ridge.r;
    m.roughness = 0.9;
    return m;
}

Surface plant() {
    if (dot(face, from_eye) > 0.0) face = -face;
    Surface m;
    if (material == BARK) m = bark();
    else m = crown(material == NEEDLES);
    m.albedo *= mix(1.0, 0.72, weather.x);
    m.roughness = mix(m.roughness, 0.45, weather.x);
    return m;
}
