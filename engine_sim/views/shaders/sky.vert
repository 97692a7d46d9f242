#version 430 core
// One triangle over the whole picture, on the far plane.

uniform uint sky_class;

flat out uint class_id;
flat out uint object_id;

void main() {
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    gl_Position = vec4(corner, 1.0, 1.0);
    class_id = sky_class;
    object_id = 0u;
}
