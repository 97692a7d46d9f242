// The sky behind everything: gradient, sun, clouds, dark deck.

vec3 sky_behind(vec3 ray) {
    vec3 color = sky_color(vec3(ray.xy, max(ray.z, 0.0)));
    float toward = dot(ray, sun.xyz);
    float up = max(ray.z, 0.0);

    // Two layers of a closed deck: large bellies and torn edges.
    if (deck.x > 0.0) {
        vec2 at = ray.xy / (up + 0.16);
        vec2 drift = frame_time.x * wind.xy / 5200.0 + cloud_shift.xy * 0.0007;
        float big = textureLod(details, vec3(at * 0.16 + drift, LAYER_NOISE), 0.0).r;
        float torn = textureLod(details, vec3(at * 0.47 + drift * 2.3 + 0.4 * big, LAYER_NOISE), 0.0).g;
        float belly = 0.62 * big + 0.38 * torn;
        float fade = smoothstep(0.0, 0.2, up);
        color *= 1.0 + deck.y * (belly - 0.5) * fade;
        // Where the deck is thin the sun glows through.
        float thin = smoothstep(0.55, 0.85, belly) * deck.x;
        color += shaft_light.rgb * (thin * deck.z * pow(max(toward, 0.0), 5.0));
        color += deck_glow.rgb * pow(max(toward, 0.0), 9.0);
    }
    // Separate clouds on a plane that the earth bends away.
    if (cloud_shift.z > 0.0) {
        float reach = (cloud.z - eye_at.z) / (up + 0.035);
        vec2 at = eye_at.xy + ray.xy * reach;
        float crisp = clamp(log2(reach / 5200.0), 0.0, 5.0);
        float here = cloud_at(at, crisp);
        vec2 step_to = sun.xy / max(sun.z, 0.3) * 170.0;
        float ahead = cloud_at(at + step_to, crisp + 0.5) * 0.6 + cloud_at(at + step_to * 2.6, crisp + 1.0) * 0.7;
        // Lit edges: thin parts glow towards the sun, thick parts go grey below.
        float through = exp(-1.5 * ahead - 0.9 * here);
        float silver = 1.0 + 2.4 * pow(max(toward, 0.0), 12.0);
        vec3 tone = cloud_dark.rgb * (1.0 - 0.35 * here) + cloud_bright.rgb * (through * silver + 0.12);
        float body = smoothstep(0.0, 0.75, here) * cloud_shift.z;
        float distance_fade = exp(-reach / 26000.0) * smoothstep(0.0, 0.05, ray.z);
        color = mix(color, tone, body * distance_fade);
        // High thin veils.
        vec2 veil_at = at / 21000.0 * vec2(1.0, 2.7) + 0.31;
        float veil = textureLod(details, vec3(veil_at, LAYER_NOISE), crisp * 0.5).a;
        color = mix(color, cloud_bright.rgb * 0.8 + cloud_dark.rgb * 0.5, smoothstep(0.5, 0.95, veil) * 0.3 * cloud_shift.w * distance_fade);
    }
    // The disc, and the glow that the table's resolution cannot hold.
    float seen = smoothstep(-0.02, 0.01, ray.z) * (1.0 - deck.x);
    color += sun_disc.rgb * seen * (smoothstep(0.99986, 0.99994, toward) * 40.0 + 0.35 * pow(max(toward, 0.0), 900.0) + 0.05 * pow(max(toward, 0.0), 90.0));
    vec4 air = air_to(ray, min(9000.0, 700.0 / max(ray.z, 0.01)));
    color = mix(color, color * air.a + air.rgb, haze_tint.w);
#ifdef SHAFTS
    color += shafts_to(eye_at.xyz, ray, 2200.0);
#endif
    return color;
}
