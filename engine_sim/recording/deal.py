"""Which renderer draws which shards next: bookkeeping without processes.

Opening a track costs a renderer about as much as drawing a few clips. So each opens one at once, while its race is
still being simulated, and stays with it for as long as it has shards; then it takes them where most are left. Portions
shrink towards the end, so that all renderers end together.
"""

from __future__ import annotations

from collections import Counter, deque

from .clip_plan import RaceJob, ShardJob

_ROUNDS = 3
"""Portions that a renderer would get if all were as large as the next one."""


class Deal:
    """Shards still to be drawn.

    Args:
        missing: shards, those of a race together.
        renderers: how many will ask for shards.
        racers: how many races are simulated at once; they must be begun in the order of ``races``.
    """

    def __init__(self, missing: list[ShardJob], renderers: int, racers: int) -> None:
        self.races: tuple[RaceJob, ...] = races_of(missing)
        self._left = len(missing)
        self._renderers, self._racers = renderers, racers
        self._racing = {race.name: race.setup.track for race in self.races}
        self._waiting: dict[str, list[ShardJob]] = {race.name: [] for race in self.races}
        for shard in missing:
            self._waiting[shard.race.name].append(shard)
        tracks = list(dict.fromkeys(self._racing.values()))
        self._ready: dict[str, deque[ShardJob]] = {track: deque() for track in tracks}
        self.tracks = [tracks[k % len(tracks)] for k in range(renderers)] if tracks else []
        """The track that each renderer has open; at first, should open."""

    def race_done(self, name: str) -> None:
        """The log of that race can be read."""
        self._ready[self._racing.pop(name)].extend(self._waiting.pop(name))

    def take(self, renderer: int) -> tuple[ShardJob, ...]:
        """Shards of one track for an idle renderer; none if it has to wait for a race, or all are taken."""
        track = self.tracks[renderer]
        if not self._ready[track]:
            if self._soon(track) or not any(self._ready.values()):
                return ()
            track = self._fullest()
            self.tracks[renderer] = track
        ready, holders = self._ready[track], self.tracks.count(track)
        size = min(-(-self._left // (_ROUNDS * self._renderers)), -(-len(ready) // holders))
        self._left -= size
        return tuple(ready.popleft() for _ in range(size))

    def _soon(self, track: str) -> bool:
        """Whether a race of that track is being simulated now."""
        return track in list(self._racing.values())[: self._racers]

    def _fullest(self) -> str:
        """The track with most ready shards for each renderer that has it open, one more counted."""
        holders = Counter(self.tracks)
        return max(self._ready, key=lambda track: len(self._ready[track]) / (1 + holders[track]))


def races_of(shards: list[ShardJob] | tuple[ShardJob, ...]) -> tuple[RaceJob, ...]:
    """The races of shards, each once, in order."""
    return tuple({shard.race.name: shard.race for shard in shards}.values())
