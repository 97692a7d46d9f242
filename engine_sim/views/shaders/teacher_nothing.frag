// First pass, where nothing stands: no triangle.

out uvec2 seen;

void main() { seen = uvec2(0u); }
