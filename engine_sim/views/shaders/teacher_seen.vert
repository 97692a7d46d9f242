// Places a corner exactly as the class view does. Nothing else: what a surface looks like is worked out once a pixel, later.

in vec3 in_position;
in mat3 inst_rotation;  // rows of the record arrive as columns: multiply from the left
in vec3 inst_origin;
in vec3 inst_scale;
#ifdef ONE_WORD
in uint inst_number;  // row of the table of rows
#else
in vec3 in_normal;
in uvec4 in_surface;  // class, material, variation, openness
in uvec2 inst_row;  // number of the record, first triangle of the mesh
#endif

uniform mat4 clip_from_eye;
uniform vec3 eye;

#ifdef ONE_WORD
flat out uint whose;
#else
flat out uvec3 whose;  // first triangle + 1, rough normal, record and material
#endif

void main() {
    vec3 from_eye = (inst_scale * in_position) * inst_rotation + (inst_origin - eye);
    gl_Position = clip_from_eye * vec4(from_eye, 1.0);
#ifdef ONE_WORD
    whose = inst_number << TRIANGLE_BITS;
#else
    whose = uvec3(inst_row.y + 1u, rough((in_normal / inst_scale) * inst_rotation), inst_row.x << 15 | in_surface.y << 9);
#endif
}
