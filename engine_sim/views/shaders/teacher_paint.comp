// Paints a picture on a graphics card: one thread a pixel, every material in one program, all cores at work.

layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba16f, binding = 0) writeonly uniform image2D result;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(result)))) return;
    Part parts[3];
    parts_of(at, parts);
    vec3 sum = vec3(0.0);
    for (int k = 0; k < 3; ++k) {
        if (parts[k].share == 0.0) break;
        uvec2 words = parts[k].words;
        vec4 places = vec2(at).xyxy + parts[k].middle;
        vec3 color = painted(triangle_of(words), record_of(words), material_of(words), places.xy, places.zw);
        sum += parts[k].share * stored(color);
    }
    imageStore(result, at, vec4(restored(sum), 1.0));
}
