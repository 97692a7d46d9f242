#version 430 core
// Class, object and distance along the viewing axis, for the guide planes.

flat in uint class_id;
flat in uint object_id;

layout(location = 0) out uint out_class;
layout(location = 1) out uint out_object;
layout(location = 2) out float out_distance;

void main() {
    out_class = class_id;
    out_object = object_id;
    out_distance = 1.0 / gl_FragCoord.w;
}
