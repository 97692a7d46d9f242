// Which triangle a sample sees: its number + 1 and rough normal; its record, material and the logarithm of its distance. Two
// words, for what a card writes here passes through its narrowest part.

flat in uvec3 whose;
out uvec2 seen;

void main() {
    uint far = uint(clamp(64.0 - 32.0 * log2(gl_FragCoord.w), 0.0, 511.0));
    seen = uvec2((uint(gl_PrimitiveID) + whose.x) << 10 | whose.y, whose.z | far);
}
