// One triangle over the whole picture, at the far end. y counts down, as the picture's memory does.

out vec2 corner;

void main() {
    corner = vec2((gl_VertexID & 1) * 4 - 1, (gl_VertexID >> 1) * 4 - 1);
    gl_Position = vec4(corner, 1.0, 1.0);
    corner.y = -corner.y;
}
