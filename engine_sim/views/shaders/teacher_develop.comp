// From painted parts to the bytes of an RGB picture, in passes over one whole-picture dispatch each. One pass is chosen by
// a define: JOIN, BRIGHT, BLUR or PRINT. Compute, because graphics cards for servers shade fragments on few of their cores.

layout(local_size_x = 16, local_size_y = 8) in;

#ifdef JOIN
uniform sampler2D picture;  // the three parts of every pixel, one above the other, each as large as its share
layout(rgba16f, binding = 0) writeonly uniform image2D result;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
    if (any(greaterThanEqual(at, size))) return;
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 3; ++k) sum += texelFetch(picture, at + ivec2(0, size.y * k), 0).rgb;
    imageStore(result, at, vec4(restored(sum), 1.0));
}
#endif

#ifdef BRIGHT
uniform sampler2D picture;
layout(rgba16f, binding = 0) writeonly uniform image2D result;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(result)))) return;
    vec3 sum = vec3(0.0);
    for (int y = 0; y < 4; ++y) for (int x = 0; x < 4; ++x) {
        vec3 c = texelFetch(picture, at * 4 + ivec2(x, y), 0).rgb;
        sum += c * smoothstep(0.9, 2.4, max(c.r, max(c.g, c.b)));
    }
    imageStore(result, at, vec4(sum / 16.0, 1.0));
}
#endif

#ifdef BLUR
uniform sampler2D picture;
uniform ivec2 axis;
layout(rgba16f, binding = 0) writeonly uniform image2D result;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(result);
    if (any(greaterThanEqual(at, size))) return;
    vec3 sum = vec3(0.0);
    for (int i = -6; i <= 6; ++i) {
        ivec2 from = clamp(at + axis * i, ivec2(0), size - 1);
        sum += texelFetch(picture, from, 0).rgb * exp(-float(i * i) / 14.0);
    }
    imageStore(result, at, vec4(sum / 6.63, 1.0));
}
#endif

#ifdef PRINT
// The one place where linear light becomes a picture: glow, filmic curve, grade, sRGB.
uniform sampler2D picture;
uniform sampler2D glow;
layout(std430, binding = 0) writeonly buffer Rows { uint bytes[]; };  // RGB, four bytes a word, top row first

// Fit of the ACES reference and output transform by Stephen Hill: sRGB in, sRGB primaries out.
vec3 filmic(vec3 c) {
    c = mat3(0.59719, 0.07600, 0.02840, 0.35458, 0.90834, 0.13383, 0.04823, 0.01566, 0.83777) * c;
    c = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081);
    return clamp(mat3(1.60475, -0.10208, -0.00327, -0.53108, 1.10813, -0.07276, -0.07367, -0.00605, 1.07602) * c, 0.0, 1.0);
}

vec3 graded(vec3 c) {
    float grey = brightness(c);
    c = mix(vec3(grey), c, grade.y);
    c *= mix(grade_shadow.rgb, grade_light.rgb, smoothstep(0.02, 0.7, grey));
    c = 0.18 * pow(max(c, vec3(0.0)) / 0.18, vec3(grade.x));
    return c * pow(0.18 / clamp(grey, 0.004, 0.18), grade_shadow.w);
}

vec3 encoded(vec3 c) { return mix(12.92 * c, 1.055 * pow(max(c, vec3(1e-5)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }

uvec3 pixel(ivec2 at) {
    vec3 color = texelFetch(picture, at, 0).rgb;
    vec2 uv = (vec2(at) + 0.5) / frame_size.xy;
    color += textureLod(glow, uv, 0.0).rgb * grade.z;
    vec2 off = uv - 0.5;
    color *= 1.0 - grade.w * dot(off, off);
    return uvec3(encoded(filmic(graded(color) * 1.75)) * 255.0 + 0.5);
}

void main() {  // four pixels, three words
    ivec2 at = ivec2(gl_GlobalInvocationID.xy) * ivec2(4, 1);
    int width = int(frame_size.x);
    if (at.x >= width || at.y >= int(frame_size.y)) return;
    uvec3 a = pixel(at), b = pixel(at + ivec2(1, 0)), c = pixel(at + ivec2(2, 0)), d = pixel(at + ivec2(3, 0));
    int first = (at.y * width + at.x) / 4 * 3;
    bytes[first] = a.r | a.g << 8 | a.b << 16 | b.r << 24;
    bytes[first + 1] = b.g | b.b << 8 | c.r << 16 | c.g << 24;
    bytes[first + 2] = c.b | d.r << 8 | d.g << 16 | d.b << 24;
}
#endif
