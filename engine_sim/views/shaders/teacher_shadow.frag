// Crowns let some light through: holes anchored to the plant, so that shade is dappled and stands still.

in vec3 place;
flat in int material;

void main() {
    if (material == LEAVES || material == NEEDLES) {
        vec3 q = place * 2.3;
        if (value_noise2(q.xy + q.zz * 0.73) * value_noise2(q.yz - q.xx * 0.41 + 7.0) > 0.36) discard;
    }
}
