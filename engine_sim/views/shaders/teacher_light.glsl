// Sun, sky, clouds, shadows, haze: one light for every surface. Radiance is already exposed: 0.18 is mid-grey.

const float PI = 3.14159265;

struct Surface {
    vec3 albedo;
    vec3 normal;
    float roughness;
    float reflectance;  // mirror part at right angles
    float metal;  // 1: albedo colours the mirror part and nothing is scattered
    float through;  // share of light that comes through from behind
    float occlusion;  // 1 open … 0 closed, on top of the mesh's own openness
    vec3 glow;
};

Surface plain_surface(vec3 albedo, vec3 normal) {
    return Surface(albedo, normal, 0.85, 0.04, 0.0, 0.0, 1.0, vec3(0.0));
}

// ---- sky -------------------------------------------------------------------------------------------------------

vec3 sky_color(vec3 direction) {
    // Half of the azimuth's sine and the root of the height: finer near the sun and the horizon, and no arc functions.
    float along = dot(direction.xy, sun_flat.xy) * inversesqrt(max(dot(direction.xy, direction.xy), 1e-8));
    float away = sqrt(max(0.5 - 0.5 * along, 0.0));
    float v = 0.5 + 0.5 * sign(direction.z) * sqrt(abs(direction.z));
    return textureLod(sky_table, vec2(away * (63.0 / 64.0) + 0.5 / 64.0, v), 0.0).rgb;
}

// Cloud density of the flat layer at a point of its plane (metres), 0 … 1.
float cloud_at(vec2 at, float detail) {
    vec2 p = (at + cloud_shift.xy + frame_time.x * wind.xy) / 8600.0;
    float broad = textureLod(details, vec3(p, LAYER_NOISE), detail).r;
    float fine = textureLod(details, vec3(p * 3.7 + 0.37, LAYER_NOISE), detail).g;
    float shape = broad * 0.74 + fine * 0.26;
    return smoothstep(cloud.x, cloud.x + cloud.y, shape);
}

// Share of sunlight that clouds let through to a point, 0 … 1.
float cloud_light(vec3 world) {
#ifdef SHAFTS
    vec2 p = (world.xy - sun.xy * (world.z / max(sun.z, 0.2)) + shaft.yz + frame_time.x * wind.xy * 0.7) / shaft.w;
    return smoothstep(0.6, 0.78, textureLod(details, vec3(p, LAYER_NOISE), 3.0).b);
#else
    vec2 at = world.xy + sun.xy * ((cloud.z - world.z) / max(sun.z, 0.12));
    float broad = textureLod(details, vec3((at + cloud_shift.xy + frame_time.x * wind.xy) / 8600.0, LAYER_NOISE), 2.0).r;
    return 1.0 - cloud.w * smoothstep(cloud.x, cloud.x + cloud.y, broad * 0.74 + 0.13);
#endif
}

// ---- shadows ---------------------------------------------------------------------------------------------------

const float HILL_SOFT = 6.0;  // metres that land must stand above a ray of the sun to stop it whole

// Share of sunlight that hills let through.
float hill_light(vec3 world) {
    float reach = textureLod(hills, (world.xy - hill_place.xy) * hill_place.zw, 0.0).r;
    return smoothstep(-HILL_SOFT, 0.0, world.z - reach);
}

// Two square maps side by side in one texture: near | far, both looking along the sun.
float shadow_at(vec3 world, vec3 normal) {
    vec3 near_at = (shadow_near * vec4(world + normal * shadow_bias.x, 1.0)).xyz;
    vec3 far_at = (shadow_far * vec4(world + normal * shadow_bias.y, 1.0)).xyz;
    vec2 edge = abs(near_at.xy - vec2(0.25, 0.5)) / vec2(0.25, 0.5);
    bool is_near = max(edge.x, edge.y) < 0.97;
    vec3 at = is_near ? near_at : far_at;
    vec2 size = vec2(textureSize(shadow_map, 0));
    // 3 × 3 tent from four hardware 2 × 2 comparisons.
    vec2 texel = at.xy * size, base = floor(texel + 0.5), f = texel + 0.5 - base;
    vec2 w0 = 3.0 - 2.0 * f, w1 = 1.0 + 2.0 * f;
    vec4 p = (base.xyxy - 0.5 + vec4((2.0 - f) / w0 - 1.0, f / w1 + 1.0)) / size.xyxy;
    float sum = w0.x * w0.y * textureLod(shadow_map, vec3(p.xy, at.z), 0.0) + w1.x * w0.y * textureLod(shadow_map, vec3(p.zy, at.z), 0.0)
              + w0.x * w1.y * textureLod(shadow_map, vec3(p.xw, at.z), 0.0) + w1.x * w1.y * textureLod(shadow_map, vec3(p.zw, at.z), 0.0);
    vec2 far_edge = abs(far_at.xy - vec2(0.75, 0.5)) / vec2(0.25, 0.5);
    return mix(sum / 16.0, 1.0, smoothstep(0.85, 0.98, max(far_edge.x, far_edge.y)) * (is_near ? 0.0 : 1.0));
}

// ---- cars: their shadow, the dark under them, their lamps ----------------------------------------------------------

struct CarLight { float sun; float sky; vec3 lamps; };

// Soft shadow of a box of half size `half_size` at the origin, for a ray from `from` along `to`; 1 lit.
float box_shadow(vec3 from, vec3 to, vec3 half_size, float sharp) {
    vec3 m = 1.0 / (to + vec3(1e-4));
    vec3 n = m * from, k = abs(m) * half_size;
    vec3 t1 = -n - k, t2 = -n + k;
    float enter = max(max(t1.x, t1.y), t1.z), leave = min(min(t2.x, t2.y), t2.z);
    // Distance by which the ray misses or cuts the box, over the distance travelled, gives a penumbra.
    float travelled = max(enter, 0.4);
    float lit = clamp(0.5 + sharp * (enter - leave) / travelled, 0.0, 1.0);
    return leave < 0.0 ? 1.0 : lit * lit * (3.0 - 2.0 * lit);
}

CarLight car_light(vec3 world, vec3 normal, int own) {
    CarLight result = CarLight(1.0, 1.0, vec3(0.0));
    for (int i = 0; i < car_count.x; ++i) {
        vec4 at = car_place[i], turn = car_turn[i];  // xyz and number + 1; cos, sin, brake, height over road
        vec3 d = world - at.xyz;
        if (dot(d.xy, d.xy) > lamp_reach.x) continue;
        vec3 q = vec3(turn.x * d.x + turn.y * d.y, turn.x * d.y - turn.y * d.x, d.z);
        vec3 s = vec3(turn.x * sun.x + turn.y * sun.y, turn.x * sun.y - turn.y * sun.x, sun.z);
        vec3 n = vec3(turn.x * normal.x + turn.y * normal.y, turn.x * normal.y - turn.y * normal.x, normal.z);
        float other = int(at.w) == own ? 0.0 : 1.0;
        float body = box_shadow(q - vec3(0.0, 0.0, 0.5), s, vec3(2.2, 0.93, 0.36), 5.0);
        float cabin = box_shadow(q - vec3(-0.35, 0.0, 0.9), s, vec3(1.0, 0.56, 0.26), 5.0);
        result.sun *= mix(1.0, min(body, cabin), other);
        vec2 gap = max(abs(q.xy) - vec2(2.05, 0.82), 0.0);
        float soft = 1.0 / (1.0 + 4.0 * dot(gap, gap)), under = soft * soft * clamp(1.15 - q.z, 0.0, 1.0) * max(n.z, 0.25);
        result.sky *= 1.0 - 0.78 * under * other;
        // Head lamps: a low beam that opens like a fan; tail lamps: a red pool.
        float ahead = q.x - 2.1;
        float fan = q.y / (0.8 + 0.28 * max(ahead, 0.0)), spread = 1.0 / (1.0 + fan * fan);
        float beam = spread * spread * clamp(ahead * 0.4, 0.0, 1.0) * clamp(1.6 - q.z + 0.012 * ahead, 0.0, 1.0)
                   / (1.0 + ahead * ahead * 0.009);
        float facing = clamp(0.35 + 0.65 * n.z + -n.x, 0.06, 1.2);
        result.lamps += vec3(1.0, 0.93, 0.78) * (beam * facing * lamp_light.x * other);
        vec3 behind = vec3(q.x + 2.3, q.y * 0.7, q.z - 0.4);
        float pool = 1.0 / (1.0 + 0.6 * dot(behind, behind)), tail = q.x < -1.6 ? pool * pool * (0.5 + 2.2 * turn.z) : 0.0;
        result.lamps += vec3(1.0, 0.05, 0.02) * (tail * max(0.3 + 0.7 * n.z, 0.0) * lamp_light.y * other);
    }
    return result;
}

// ---- air -------------------------------------------------------------------------------------------------------

// Light added and kept on the way from the eye: rgb and share kept.
vec4 air_to(vec3 ray, float far) {
    float rise = ray.z * far / haze.y;
    float mean = abs(rise) > 1e-3 ? (1.0 - exp(-rise)) / rise : 1.0 - 0.5 * rise;
    float depth = haze.x * exp(-max(eye_at.w, -0.5 * haze.y) / haze.y) * far * mean;
    float kept = exp(-depth);
    vec3 low = normalize(vec3(ray.xy, max(ray.z, 0.0) * 0.5 + 0.035));
    vec3 scattered = sky_color(low) * haze_tint.rgb;
    float toward = max(dot(ray, sun.xyz), 0.0);
    float t2 = toward * toward, t6 = t2 * t2 * t2, t24 = t6 * t6 * t6 * t6;
    scattered += sun_light.rgb * (haze_glow.x * t6 + haze_glow.y * t24 * t24);
    return vec4(scattered * (1.0 - kept), kept);
}

// Rays of sun between dark clouds, summed at a few points of the way.
vec3 shafts_to(vec3 eye_at, vec3 ray, float far) {
    vec3 sum = vec3(0.0);
    float reach = min(far, 2200.0);
    for (int i = 0; i < shaft_steps.x; ++i) {
        float t = reach * pow((float(i) + 0.5) / float(shaft_steps.x), 1.4);
        sum += cloud_light(eye_at + ray * t) * exp(-t / 1500.0);
    }
    float toward = 0.35 + 0.65 * squared(max(dot(ray, sun.xyz), 0.0));
    return shaft_light.rgb * sum * (toward * reach / 2200.0 / float(max(shaft_steps.x, 1)));
}

// ---- shading ---------------------------------------------------------------------------------------------------

vec3 ambient(vec3 n) {
    vec3 light = sh[0].rgb + sh[1].rgb * n.y + sh[2].rgb * n.z + sh[3].rgb * n.x
               + sh[4].rgb * (n.x * n.y) + sh[5].rgb * (n.y * n.z) + sh[6].rgb * (3.0 * n.z * n.z - 1.0)
               + sh[7].rgb * (n.x * n.z) + sh[8].rgb * (n.x * n.x - n.y * n.y);
    return max(light, vec3(0.0));
}

// What a mirror would see: the sky above a dark, uneven line of trees and hills.
vec3 surroundings(vec3 direction, float roughness) {
    vec3 sky = sky_color(vec3(direction.xy, max(direction.z, 0.015)));
    // An angle around the horizon without its arc: 0 … 4 along a diamond.
    float around = direction.x / (abs(direction.x) + abs(direction.y) + 1e-6);
    around = (direction.y > 0.0 ? 1.0 - around : 3.0 + around) * 11.0;
    float skyline = 0.05 + 0.075 * value_noise1(around, 3u) + 0.03 * value_noise1(around * 4.3, 5u);
    float soft = 0.015 + 0.5 * roughness;
    float above = smoothstep(-soft, soft, direction.z - skyline);
    vec3 below = mix(ground_light.rgb, ground_light.rgb * 0.45, smoothstep(-0.1, 0.05, direction.z));
    return mix(below, sky, above);
}

float power5(float x) { float x2 = x * x; return x2 * x2 * x; }

vec3 lit(Surface m, vec3 world, vec3 ray, float open, float sun_share, CarLight cars) {
    vec3 n = m.normal, v = -ray;
    float nv = clamp(dot(n, v), 0.02, 1.0), nl = dot(n, sun.xyz);
    vec3 direct = sun_light.rgb * sun_share * cars.sun;
    vec3 f0 = mix(vec3(m.reflectance), m.albedo, m.metal);
    float sky_share = open * m.occlusion * cars.sky;

    // Scattered light: sun through a wrapped cosine for soft things, the sky as an even glow.
    float wrap = 0.5 * m.through;
    float front = clamp((nl + wrap) / (1.0 + wrap), 0.0, 1.0);
    float against = 0.5 * dot(ray, sun.xyz) + 0.5, back = 0.7 * m.through * against * against * against * clamp(0.6 - nl, 0.0, 1.0);
    float shaded = mix(1.0, m.occlusion, 0.45);
    vec3 scattered = direct * (front + back) * shaded / PI + ambient(n) * sky_share + cars.lamps * 0.32 * m.occlusion;
    // Light bounced between close surfaces takes their colour and keeps dark corners from going dead.
    vec3 bounce = mix(vec3(1.0), m.albedo * 2.0 + 0.35, (1.0 - sky_share) * 0.5);
    vec3 color = m.albedo * (1.0 - m.metal) * scattered * bounce;
    if (MATTE) return color + m.glow;

    // Mirror light: GGX for the sun (Walter 2007, Smith visibility after Hammon 2017), split-sum fit for the sky (Karis 2014).
    vec3 h = normalize(v + sun.xyz);
    float nh = clamp(dot(n, h), 0.0, 1.0), vh = clamp(dot(v, h), 0.0, 1.0);
    float a = max(m.roughness * m.roughness, 0.003), a2 = a * a;
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float l = clamp(nl, 0.0, 1.0);
    float visible = 0.5 / max(mix(2.0 * l * nv, l + nv, a), 1e-3);
    vec3 fresnel = f0 + (1.0 - f0) * power5(1.0 - vh);
    vec3 spark = fresnel * min(a2 / (PI * d * d) * visible * l, 24.0);
    // Rough ground hides its own highlights in its pores; without this a low sun turns every road to milk.
    color += direct * spark * (1.0 - 0.72 * smoothstep(0.35, 0.85, m.roughness));
    vec4 r = m.roughness * vec4(-1.0, -0.0275, -0.572, 0.022) + vec4(1.0, 0.0425, 1.04, -0.04);
    float k = min(r.x * r.x, exp2(-9.28 * nv)) * r.x + r.y;
    vec2 ab = vec2(-1.04, 1.04) * k + r.zw;
    vec3 mirror = ambient(n);  // what a rough surface mirrors is an even glow
    // One slides into the other: a threshold would scatter dark dots over ground whose grain crosses it.
    if (m.roughness < 0.7) mirror = mix(surroundings(reflect(ray, n), m.roughness), mirror, smoothstep(0.55, 0.7, m.roughness));
    color += mirror * (f0 * ab.x + ab.y) * mix(sky_share, 1.0, 0.25) * clamp(0.35 + sky_share, 0.0, 1.0);
    return color + m.glow;
}
