// Chooses among the things that people have built.

Surface built() {
    vec3 side = abs(normalize(own_normal));
    lies = side.z > 0.8;
    bool own_uv = material >= GUARD_RAIL && material <= FENCE || material == BOARD_FACE;
    w = own_uv ? uv_in : along_wall(side, place);
    vec2 px = own_uv ? uv_dx : along_wall(side, place_dx), py = own_uv ? uv_dy : along_wall(side, place_dy);
    foot = footprint(px, py);
    vec4 kind = kind_detail[material];  // layer, 1 / tile
    vec2 shift = vec2(chance_of(seed, 51u), chance_of(seed, 52u)) * 9.0;
    grain = textureGrad(details, vec3((w + shift) * kind.y, kind.x), px * kind.y, py * kind.y);
    wear = textureGrad(details, vec3((w + shift) / 7.0, LAYER_WEAR), px / 7.0, py / 7.0);
    Surface m = plain_surface(base, vec3(0.0));
#ifdef PAINTS_BARRIER
    if (material >= GUARD_RAIL && material <= FENCE) m = roadside();
#endif
#ifdef PAINTS_FACADE
    if (material >= FACADE_HOUSE && material <= FACADE_PIT) m = facade();
#endif
#ifdef PAINTS_ROOF
    if (material == ROOF) { if (variation < 0.3) m = flat_roof(); else m = roof(); }
#endif
#ifdef PAINTS_STAND
    if (material == STAND_SEATS) m = seats();
#endif
#ifdef PAINTS_BOARD
    if (material == BOARD_FACE) m = board();
#endif
#ifdef PAINTS_FRAME
    if (material == STAND_FRAME || material == BOARD_FRAME || material == METAL) m = frame();
#endif
    m.albedo *= mix(1.0, 0.75, weather.x);
    m.roughness = mix(m.roughness, min(m.roughness, 0.4), weather.x);
    m.normal = bumped(face, px, py, m.normal.xy);
#ifdef PAINTS_BARRIER
    // Through its meshes one sees ground.
    if (material == FENCE) m.normal = normalize(mix(vec3(0.0, 0.0, 1.0), m.normal, m.metal));
#endif
    return m;
}
