"""What is scored: drives as they were, read a stretch at a time, and the references that streams of them start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from ..stream.guides import Guides


class Shots(NamedTuple):
    """Consecutive frames of a drive.

    ``class_maps`` uint8 ``[F, H, W]``; ``teacher`` the teacher view of them, uint8 ``[F, 3, H, W]``; ``motion`` float32
    ``[F, H, W, 2]``, pixels (x right, y down) to add to a pixel's place to find its surface point in the frame
    before, or None; ``guides`` depth and cameras, or None.
    """

    class_maps: Tensor
    teacher: Tensor
    motion: Tensor | None = None
    guides: Guides | None = None

    def part(self, start: int, stop: int) -> Shots:
        """Frames ``start`` to ``stop`` (excluded)."""
        cut = slice(start, stop)
        motion = None if self.motion is None else self.motion[cut]
        guides = None if self.guides is None else Guides(*(x[cut] for x in self.guides))
        return Shots(self.class_maps[cut], self.teacher[cut], motion, guides)

    def to(self, device: torch.device) -> Shots:
        """The same frames on a device."""
        motion = None if self.motion is None else self.motion.to(device)
        guides = None if self.guides is None else Guides(*(x.to(device) for x in self.guides))
        return Shots(self.class_maps.to(device), self.teacher.to(device), motion, guides)

    def join(self, later: Shots) -> Shots:
        """These frames and then ``later``; what either lacks is lacking."""
        motion = None
        if self.motion is not None and later.motion is not None:
            motion = torch.cat([self.motion, later.motion])
        guides = None
        if self.guides is not None and later.guides is not None:
            guides = Guides(*(torch.cat(pair) for pair in zip(self.guides, later.guides, strict=True)))
        maps, teacher = torch.cat([self.class_maps, later.class_maps]), torch.cat([self.teacher, later.teacher])
        return Shots(maps, teacher, motion, guides)


class Footage(Protocol):
    """A drive that can be read in order. A minute of it need not fit into memory."""

    @property
    def fps(self) -> int:
        """Frames a second."""

    @property
    def width(self) -> int:
        """Pixels of a row."""

    @property
    def height(self) -> int:
        """Rows."""

    def __len__(self) -> int:
        """Frames in all."""

    def read(self, start: int, stop: int) -> Shots:
        """Frames ``start`` to ``stop`` (excluded)."""


@dataclass(frozen=True)
class HeldFootage:
    """A short drive that lies in memory.

    Args:
        shots: all of its frames.
        fps: frames a second.
    """

    shots: Shots
    fps: int = 24

    @property
    def width(self) -> int:
        """Pixels of a row."""
        return int(self.shots.class_maps.shape[2])

    @property
    def height(self) -> int:
        """Rows."""
        return int(self.shots.class_maps.shape[1])

    def __len__(self) -> int:
        return len(self.shots.class_maps)

    def read(self, start: int, stop: int) -> Shots:
        """Frames ``start`` to ``stop`` (excluded)."""
        return self.shots.part(start, stop)


class Reference(NamedTuple):
    """What a stream starts from: ``picture`` uint8 ``[3, H, W]`` or None to leave the look to the prompt, its own
    ``class_map`` uint8 ``[H, W]``, prompt tokens ``text`` ``[P, width]`` or None for no prompt, and the ``camera`` that
    the picture was taken with, ``[12]`` as in ``guides``, or None if it is not known; without a picture that of the
    opening frame."""

    picture: Tensor | None
    class_map: Tensor
    text: Tensor | None = None
    camera: Tensor | None = None


GIVEN, PROMPT = "given_picture", "prompt_alone"
"""Streams under a reference picture of the user's own, and under none."""

OWN, OTHER_PLACE, CONTROL, DECODER = "own_frame", "other_place", "control", "decoder"
"""The streams of a suite. Own first frame as reference; one from another place of the same look, from which drift is
read (with the own frame, the scene leaving the reference looks like drift); another look's, which must score far
worse; and the decoder alone, fed with latents of the teacher's own frames: the ceiling."""


@dataclass(frozen=True)
class Impulse:
    """A drive twice: ``calm`` and, with an impulse on the controls that first acts on frame ``at``, ``changed``.

    Class maps uint8 ``[F, H, W]``, equal before ``at``.
    """

    calm: Tensor
    changed: Tensor
    at: int


@dataclass(frozen=True)
class ScoredDrive:
    """One drive of a suite.

    Args:
        name: for people.
        footage: what is streamed and what the teacher made of it.
        references: by the name of the stream.
        impulse: for the response score, or None.
        notes: what is missing or special, one line each.
    """

    name: str
    footage: Footage
    references: Mapping[str, Reference]
    impulse: Impulse | None = None
    notes: tuple[str, ...] = field(default=())
