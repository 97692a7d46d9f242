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

flat out uvec3 whose;  // first triangle + 1, rough normal, record and material

// A direction in ten bits: octahedron, five bits a side.
uint rough(vec3 n) {
    vec2 p = n.xy / (abs(n.x) + abs(n.y) + abs(n.z));
    if (n.z < 0.0) p = (1.0 - abs(p.yx)) * vec2(p.x < 0.0 ? -1.0 : 1.0, p.y < 0.0 ? -1.0 : 1.0);
    uvec2 q = uvec2(p * 15.5 + 16.0);
    return q.x << 5 | q.y;
}

void main() {
    vec3 from_eye = (inst_scale * in_position) * inst_rotation + (inst_origin - eye);
    gl_Position = clip_from_eye * vec4(from_eye, 1.0);
    whose = uvec3(inst_row.y + 1u, rough((in_normal / inst_scale) * inst_rotation), inst_row.x << 15 | in_surface.y << 9);
}
