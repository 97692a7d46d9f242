// Casters as the sun sees them.

in vec3 in_position;
in uvec4 in_surface;
in mat3 inst_rotation;
in vec3 inst_origin;
in vec3 inst_scale;

uniform mat4 clip_from_world;

out vec3 place;
flat out int material;

void main() {
    place = inst_scale * in_position;
    material = int(in_surface.y);
    gl_Position = clip_from_world * vec4(place * inst_rotation + inst_origin, 1.0);
}
