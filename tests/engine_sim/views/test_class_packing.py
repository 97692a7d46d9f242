"""Meshes of a scene are packed once for all of its CPU views, and the newest two scenes are remembered."""

from engine_sim.views import class_cpu


def test_views_of_one_scene_share_what_is_packed_and_older_scenes_are_let_go(monkeypatch):
    packed = []
    monkeypatch.setattr(class_cpu, "_pack", lambda scene: packed.append(scene) or (scene, "packed"))
    class_cpu._newest.clear()
    scenes = [object() for _ in range(3)]
    try:
        assert class_cpu._packed(scenes[0]) == (scenes[0], "packed")
        assert class_cpu._packed(scenes[0]) is class_cpu._packed(scenes[0])
        class_cpu._packed(scenes[1])
        class_cpu._packed(scenes[0])
        assert packed == scenes[:2]
        class_cpu._packed(scenes[2])
        class_cpu._packed(scenes[0])
        assert packed == [*scenes, scenes[0]]
    finally:
        class_cpu._newest.clear()
