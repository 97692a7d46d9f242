"""Compressing and writing clips behind the drawing: the next shard is begun while the last one reaches the disk."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..views.look import Look
from .clips import KIND, Clip, prepare_clip, prompt_of, shard_meta, write_clip
from .container import ContainerWriter

_WRITES_AHEAD = 2  # Clips that may wait for the disk: more would only take memory.


class Packing:
    """Writes shards in the order in which they were begun. Leaving its block waits for those that were closed.

    A shard that was never closed leaves nothing. An error in a thread comes out of the next ``clip`` or of the block.

    Args:
        teacher_codec: of teacher frames.
    """

    def __init__(self, teacher_codec: str) -> None:
        self._codec = teacher_codec
        self._compress = ThreadPoolExecutor(2, "compress")
        self._write = ThreadPoolExecutor(1, "write")
        self._clips: deque[Future[dict[str, Any]]] = deque()
        self._metas: dict[Path, list[Future[dict[str, Any]]]] = {}
        self._writers: list[ContainerWriter] = []
        self._closed: list[Future[None]] = []

    def shard(self, path: Path) -> ContainerWriter:
        """Begin a file. UserError if the disk refuses."""
        writer = ContainerWriter(path, KIND)
        self._writers.append(writer)
        self._metas[path] = []
        return writer

    def clip(self, writer: ContainerWriter, clip: Clip, look: Look) -> None:
        """Append a clip to a shard; its meta gets the look's prompt. Waits while too many are under way."""
        number = len(self._metas[writer.path])
        prepared = self._compress.submit(prepare_clip, clip, self._codec)
        prompt = self._compress.submit(prompt_of, look, clip.class_maps)
        meta = self._write.submit(_finish_clip, writer, number, prepared, prompt, clip.meta)
        self._metas[writer.path].append(meta)
        self._clips.append(meta)
        while len(self._clips) > _WRITES_AHEAD:
            self._clips.popleft().result()

    def close(self, writer: ContainerWriter, fps: int, job: dict[str, Any]) -> None:
        """All clips of a shard have been given: it gets its name when they are written."""
        self._closed.append(self._write.submit(_close_shard, writer, fps, self._metas.pop(writer.path), job))

    def __enter__(self) -> Packing:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._compress.shutdown()
        self._write.shutdown()
        for writer in self._writers:
            writer.abort()
        if kind is None:
            for clip in self._clips:
                clip.result()
            for closed in self._closed:
                closed.result()


def _finish_clip(
    writer: ContainerWriter, number: int, prepared: Future[Any], prompt: Future[str], meta: dict[str, Any]
) -> dict[str, Any]:
    write_clip(writer, number, prepared.result())
    return {**meta, "prompt": prompt.result()}


def _close_shard(writer: ContainerWriter, fps: int, metas: list[Future[dict[str, Any]]], job: dict[str, Any]) -> None:
    writer.commit(shard_meta(fps, [meta.result() for meta in metas], job))
