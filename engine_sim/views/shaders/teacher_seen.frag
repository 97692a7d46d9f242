// Which triangle a sample sees: its number + 1, its record, its distance along the view, its material and rough normal.

flat in uvec3 whose;
out uvec4 seen;

void main() {
    seen = uvec4(uint(gl_PrimitiveID) + whose.y + 1u, whose.x, floatBitsToUint(1.0 / gl_FragCoord.w), whose.z);
}
