// Places a corner exactly as the class view does. Nothing else: what a surface looks like is worked out once a pixel, later.

in vec3 in_position;
in vec3 in_normal;
in uvec4 in_surface;  // class, material, variation, openness
in mat3 inst_rotation;  // rows of the record arrive as columns: multiply from the left
in vec3 inst_origin;
in vec3 inst_scale;
in uvec2 inst_row;  // number of the record, first triangle of the mesh

uniform mat4 clip_from_eye;
uniform vec3 eye;

flat out uvec3 whose;  // record, first triangle, material and normal

void main() {
    vec3 from_eye = (inst_scale * in_position) * inst_rotation + (inst_origin - eye);
    gl_Position = clip_from_eye * vec4(from_eye, 1.0);
    uvec3 n = uvec3(normalize((in_normal / inst_scale) * inst_rotation) * 127.0 + 128.0);
    whose = uvec3(inst_row, in_surface.y << 24 | n.x << 16 | n.y << 8 | n.z);
}
