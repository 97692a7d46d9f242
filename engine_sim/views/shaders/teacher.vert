// Places a corner exactly as the class view does, and passes on what surfaces need.

in vec3 in_position;
in vec3 in_normal;
in vec2 in_uv;
in uvec4 in_surface;  // class, material, variation, openness
in mat3 inst_rotation;  // rows of the record arrive as columns: multiply from the left
in vec3 inst_origin;
in vec3 inst_scale;
in uint inst_seed;
in uint inst_object;

uniform mat4 clip_from_eye;
uniform vec3 eye;

out vec3 from_eye;  // metres, world axes
out vec3 normal_in;
out vec3 place;  // metres, the object's own axes; world axes in the static mesh
out vec3 own_normal;  // in the axes of place
out vec2 uv_in;
out float openness;
out float variation;
flat out vec3 size;  // of the object, metres
flat out int material;
flat out uint seed;
flat out int object;  // car number + 1, 0 for all else

void main() {
    place = inst_scale * in_position;
    from_eye = place * inst_rotation + (inst_origin - eye);
    gl_Position = clip_from_eye * vec4(from_eye, 1.0);
    own_normal = in_normal / inst_scale;
    normal_in = own_normal * inst_rotation;
    uv_in = in_uv;
    material = int(in_surface.y);
    variation = float(in_surface.z) / 255.0;
    openness = float(in_surface.w) / 255.0;
    size = inst_scale;
    seed = inst_seed;
    object = int(inst_object);
}
