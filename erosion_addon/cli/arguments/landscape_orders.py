# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of the actions of the command landscape."""

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...files.reading.record import Reading
from ...generators.registry import SOURCES
from ...landscape.analyze import Question
from ...landscape.export import Layout, Maps
from ...landscape.storage.folder import Window
from ...recipe.recipe import Recipe
from .orders import Mask
from .reading import reading_of, reading_words


@dataclass(frozen=True)
class GeneratedStart:
    """Start terrain of a landscape. size: (rows, cols). cell_size: m."""

    kind: str
    size: tuple[int, int]
    cell_size: float
    seed: int
    values: Mapping[str, Any]

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "GeneratedStart":
        """From the arguments of `make`; InputError for arguments that do not fit."""
        if arguments.size is None:
            raise InputError("A generated landscape needs --size, such as 8192x8192.")
        if words := reading_words(arguments, but="cell_size"):
            raise InputError(
                f"{arguments.source} is a start terrain, not a file; leave out {words[0]}."
            )
        values = dict(arguments.set)
        if values.get("tileable"):
            raise InputError("The edges of a landscape cannot wrap; leave out tileable.")
        return cls(
            arguments.source, arguments.size, arguments.cell_size or 1.0, arguments.seed, values
        )


@dataclass(frozen=True)
class FileStart:
    """Heightmap of a landscape, or tiles of another program. source: as named.

    bottom_first: whether tiles are numbered from the bottom row upward. shared_borders: whether
    neighboring tiles share the points on their border.
    """

    source: str
    reading: Reading
    bottom_first: bool
    shared_borders: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "FileStart":
        """From the arguments of `make`."""
        return cls(
            arguments.source,
            reading_of(arguments),
            arguments.bottom_first,
            arguments.shared_borders,
        )


@dataclass(frozen=True)
class LandscapeMakeOrder:
    """Arguments of `make`. tile: longest side of a tile in cells."""

    folder: Path
    start: GeneratedStart | FileStart
    tile: int
    masks: Sequence[Mask]
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "LandscapeMakeOrder":
        """From the parsed arguments; InputError for those that do not fit."""
        start = GeneratedStart if arguments.source in SOURCES else FileStart
        return cls(
            arguments.folder, start.of(arguments), arguments.tile, arguments.mask, arguments.quiet
        )


@dataclass(frozen=True)
class WorkersOrder:
    """Where tasks are done. cluster: None for this process. workers, threads: 0 for the default.
    memory: most of each worker in bytes, 0 for its share.
    """

    cluster: str | None
    workers: int
    threads: int
    memory: float
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "WorkersOrder":
        """From the arguments of an action that does tasks."""
        return cls(
            arguments.cluster,
            arguments.workers or 0,
            arguments.threads or 0,
            1e9 * (arguments.worker_memory or 0.0),
            arguments.quiet,
        )


@dataclass(frozen=True)
class ErosionOrder:
    """Erosion of a landscape. seed, edges: None for the recipe's. coarse: cells along the longer
    side of what is eroded as a whole.
    """

    folder: Path
    recipe: Recipe
    seed: int | None
    edges: str | None
    coarse: int

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "ErosionOrder":
        """From the parsed arguments; InputError for an unknown recipe."""
        return cls(
            arguments.folder,
            Recipe.load(arguments.recipe).with_values(dict(arguments.set)),
            arguments.seed,
            arguments.edges,
            arguments.coarse,
        )


@dataclass(frozen=True)
class LandscapeErodeOrder:
    """Arguments of `erode`. time_limit: seconds, infinite for none."""

    erosion: ErosionOrder
    workers: WorkersOrder
    time_limit: float
    report: Path | None
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "LandscapeErodeOrder":
        """From the parsed arguments; InputError for an unknown recipe."""
        return cls(
            ErosionOrder.of(arguments),
            WorkersOrder.of(arguments),
            math.inf if arguments.time_limit is None else arguments.time_limit,
            arguments.report,
            arguments.quiet,
        )


@dataclass(frozen=True)
class TaskOrder:
    """Arguments of `task`. name: or number of the task. wait: the longest, in seconds."""

    folder: Path
    name: str
    threads: int
    wait: float
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "TaskOrder":
        """From the parsed arguments."""
        return cls(
            arguments.folder,
            arguments.name,
            arguments.threads or 0,
            60.0 * (arguments.wait or 0.0),
            arguments.quiet,
        )


@dataclass(frozen=True)
class LandscapeAnalyzeOrder:
    """Arguments of `analyze`."""

    folder: Path
    question: Question
    workers: WorkersOrder
    report: Path | None
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "LandscapeAnalyzeOrder":
        """From the parsed arguments."""
        return cls(
            arguments.folder,
            Question(arguments.edges, arguments.sea_level, arguments.channel_area),
            WorkersOrder.of(arguments),
            arguments.report,
            arguments.quiet,
        )


@dataclass(frozen=True)
class ExportOrder:
    """Arguments of `export`."""

    folder: Path
    output: Path
    layout: Layout
    maps: Maps
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "ExportOrder":
        """From the parsed arguments."""
        layout = Layout(
            layer=arguments.layer,
            side=arguments.side or 0,
            engine=arguments.engine or "",
            height_range=tuple(arguments.height_range) if arguments.height_range else None,
            names=arguments.names or "",
            bottom_first=arguments.bottom_first,
        )
        return cls(
            arguments.folder,
            arguments.output,
            layout,
            Maps(arguments.weights, arguments.normals or ""),
            arguments.quiet,
        )


@dataclass(frozen=True)
class PreviewOrder:
    """Arguments of `preview`. side: longer one in points. window: cells to show one by one, or
    None.
    """

    folder: Path
    output: Path
    layer: str
    side: int
    window: Window | None
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "PreviewOrder":
        """From the parsed arguments."""
        if arguments.window:
            top, bottom, left, right = arguments.window
            window = Window(top, bottom, left, right)
        else:
            window = None
        return cls(
            arguments.folder,
            arguments.output,
            arguments.layer,
            arguments.side,
            window,
            arguments.quiet,
        )
