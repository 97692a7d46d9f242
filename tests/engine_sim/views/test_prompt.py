"""Prompts: plain sentences that say what the look really is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine_sim.views.look import LIGHTINGS, look_names, named_look, sample_look
from engine_sim.views.look_color import color_name
from engine_sim.views.look_lighting import LIGHTING_TABLE
from render_bridge import palette

FEW = settings(max_examples=40, derandomize=True, deadline=None)


@FEW
@given(st.integers(0, 2**40))
def test_a_prompt_is_one_clean_paragraph(seed):
    text = sample_look(seed).prompt()
    assert text.endswith(".")
    assert "  " not in text
    assert "\n" not in text
    assert "#" not in text
    assert text.isascii()
    assert 60 < len(text.split()) < 150
    for sentence in text.rstrip(".").split(". "):
        assert sentence[0].isupper()


def test_the_same_look_says_the_same():
    assert sample_look(21).prompt() == sample_look(21).prompt()


def test_every_lighting_is_told():
    for name in LIGHTINGS:
        assert LIGHTING_TABLE[name].phrase in sample_look(2, name).prompt()


def test_the_colours_told_are_the_colours_drawn():
    for seed in range(30):
        look = sample_look(seed)
        text = look.prompt()
        assert f"{color_name(look.player.base)}" in text
        assert f"number {look.player.number}" in text
        assert f"asphalt of {color_name(look.palette.asphalt)}" in text
        assert color_name(look.palette.leaves_a) in text


def test_only_classes_that_occur_are_told():
    look = sample_look(4)
    text = look.prompt([palette.ROAD, palette.SKY])
    assert "asphalt" in text
    assert "kerbs" not in text
    for word in ("player", "rivals", "Trees", "Grandstands", "Houses", "Barriers", "grass", "Rocks"):
        assert word not in text
    assert "player's car" in look.prompt([palette.PLAYER_CAR])
    assert look.prompt([]) == look.prompt([]).split(". ")[0].rstrip(".") + "."


def test_classes_may_come_in_any_order_and_any_kind_of_integer():
    look = sample_look(9)
    assert look.prompt(range(13)) == look.prompt() == look.prompt(reversed(range(13)))


def test_wet_roads_and_lit_windows_are_told():
    storm = sample_look(3, "storm").prompt()
    assert "wet road" in storm
    assert "windows lit" in sample_look(3, "blue hour").prompt()
    assert "wet road" not in sample_look(3, "clear midday").prompt()


def test_different_looks_say_different_things():
    assert len({sample_look(seed).prompt() for seed in range(300)}) == 300
    assert len({named_look(name).prompt() for name in look_names()}) == 10
