// Which triangle a sample sees, in as few words as can be: what a card writes here passes through its narrowest part.

#ifdef ONE_WORD
flat in uint whose;
out uint seen;

void main() { seen = whose + uint(gl_PrimitiveID); }
#else
flat in uvec3 whose;
out uvec2 seen;

void main() { seen = uvec2((uint(gl_PrimitiveID) + whose.x) << 10 | whose.y, whose.z | rough_distance(gl_FragCoord.w)); }
#endif
