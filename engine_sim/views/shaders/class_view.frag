#version 430 core
// One whole-number class id a pixel: nothing to blend, dither or convert.

flat in uint class_id;

layout(location = 0) out uint out_class;

void main() {
    out_class = class_id;
}
