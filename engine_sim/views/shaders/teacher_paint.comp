// Paints a picture on a graphics card: one thread a pixel, every material in one program, all cores at work.

layout(local_size_x = 8, local_size_y = 8) in;
layout(rgba16f, binding = 0) writeonly uniform image2D result;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(result)))) return;
    Part parts[3];
    int found = parts_of(at, parts);
    vec3 sum = vec3(0.0);
    // The next part moves up instead of an index that moves on, and the number of turns is not known before: the body holds
    // every material, so compilers must neither write it out three times nor keep the parts in memory.
    for (int k = 0; k < found; ++k) {
        uvec2 words = parts[0].words;
        vec4 places = vec2(at).xyxy + parts[0].middle;
        sum += parts[0].share * stored(painted(triangle_of(words), record_of(words), material_of(words), places.xy, places.zw));
        parts[0] = parts[1];
        parts[1] = parts[2];
    }
    imageStore(result, at, vec4(restored(sum), 1.0));
}
