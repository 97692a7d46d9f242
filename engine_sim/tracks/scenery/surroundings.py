"""What grows and stands in each kind of land, as numbers that the placing rules read."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Surroundings:
    """One kind of land. Densities are per hectare, of trees inside groves, of the rest on average.

    Args:
        wood: share of the ground under trees.
        near, middle, far: trees within 40 m of a barrier, within 100 m, and beyond.
        conifer: share of conifers.
        tree_height: metres of a broadleaf tree in the middle of a grove; conifers are a third taller.
        hedges: metres between hedgerows, 0 for none.
        bushes: near the track; fewer further off.
        boulders: near the track where no rock shows; rocky ground has more.
        boulder_size: width of the largest, metres.
        villages: per kilometre of track, within 250 m of it.
        rows: what lines the track, see ``rows.py``: nothing, ``city``, ``works`` or ``airfield``.
        lamps: metres between lamp posts, 0 for none.
        lamp_height: metres.
        boards: metres between the long boards that run along the track.
        stands: share of the fast bends that have a stand.
        avenue: share of straights with a row of trees along the barrier.
    """

    wood: float
    near: float
    middle: float
    far: float
    conifer: float
    tree_height: float = 10.0
    hedges: float = 0.0
    bushes: float = 10.0
    boulders: float = 0.4
    boulder_size: float = 4.5
    villages: float = 0.0
    rows: str = ""
    lamps: float = 0.0
    lamp_height: float = 8.5
    boards: float = 420.0
    stands: float = 0.35
    avenue: float = 0.0


SURROUNDINGS: dict[str, Surroundings] = {
    "meadow": Surroundings(0.24, 150, 70, 20.0, 0.22, 10.0, hedges=150, bushes=10, villages=0.4, avenue=0.2),
    "hills": Surroundings(0.28, 150, 70, 20.0, 0.35, 10.0, hedges=210, bushes=11, boulders=1.0, villages=0.45,
                          avenue=0.1),
    "forest": Surroundings(0.72, 110, 36, 16.0, 0.45, 12.0, bushes=12, boulders=0.8, villages=0.12, stands=0.25),
    "alpine": Surroundings(0.5, 120, 42, 18.0, 0.92, 11.0, bushes=6, boulders=5.0, boulder_size=8.0, villages=0.4,
                           stands=0.25),
    "coast": Surroundings(0.2, 140, 65, 18.0, 0.4, 7.5, bushes=26, boulders=2.5, boulder_size=6.0, villages=0.55,
                          avenue=0.15),
    "city": Surroundings(0.16, 110, 50, 10.0, 0.08, 8.5, bushes=5, boulders=0.0, rows="city", lamps=36, boards=150,
                         stands=0.5, avenue=0.5),
    "desert": Surroundings(0.12, 110, 50, 12.0, 0.12, 5.5, bushes=30, boulders=11.0, boulder_size=11.0, villages=0.3),
    "airfield": Surroundings(0.13, 140, 75, 22.0, 0.3, 9.0, bushes=9, boulders=0.1, rows="airfield", boards=260,
                             stands=0.45),
    "moor": Surroundings(0.1, 130, 60, 16.0, 0.7, 7.0, bushes=30, boulders=5.0, boulder_size=7.0, villages=0.25),
    "park": Surroundings(0.4, 115, 52, 18.0, 0.15, 13.0, bushes=9, boulders=0.1, villages=0.2, lamps=60, boards=240,
                         stands=0.6, avenue=0.5),
    "quarry": Surroundings(0.14, 120, 60, 14.0, 0.55, 7.5, bushes=14, boulders=14.0, boulder_size=8.0, rows="works",
                           boards=300),
}  # fmt: skip
"""One per setting of ``tracks.settings``, by the same name."""


def surroundings_of(setting: str, kind: str) -> Surroundings:
    """Surroundings of a setting; an oval turns its rim into a stadium.

    Raises:
        ValueError: unknown setting.
    """
    if setting not in SURROUNDINGS:
        raise ValueError(f"unknown setting {setting!r}; known: {', '.join(SURROUNDINGS)}")
    land = SURROUNDINGS[setting]
    if kind == "oval":
        return replace(land, stands=1.0, lamps=80.0, lamp_height=24.0, boards=90.0, avenue=0.0)
    return land
