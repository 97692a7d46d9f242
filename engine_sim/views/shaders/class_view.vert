#version 430 core
// Places a corner, and passes on what the class view knows of its triangle.

in vec3 in_position;
in uvec4 in_surface;
in mat3 inst_rotation;  // rows of the record arrive as columns: multiply from the left
in vec3 inst_origin;
in vec3 inst_scale;
in uint inst_object;
in int inst_class;

uniform mat4 clip_from_eye;  // world axes, origin at the eye: near things keep their digits
uniform vec3 eye;

flat out uint class_id;
flat out uint object_id;

void main() {
    vec3 world = (inst_scale * in_position) * inst_rotation + (inst_origin - eye);
    gl_Position = clip_from_eye * vec4(world, 1.0);
    class_id = inst_class >= 0 ? uint(inst_class) : in_surface.x;
    object_id = inst_object;
}
