// One triangle over everything, at one depth.

uniform float depth;

void main() { gl_Position = vec4((gl_VertexID & 1) * 4 - 1, (gl_VertexID >> 1) * 4 - 1, depth * 2.0 - 1.0, 1.0); }
