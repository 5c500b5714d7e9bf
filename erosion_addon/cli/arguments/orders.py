# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders: the arguments of a command as typed values, made from the parsed words once."""

import argparse
import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...files.formats import IMAGE_SUFFIXES
from ...files.reading.record import Range, Reading
from ...recipe.recipe import Recipe
from ...run.frames.record import frames_of_film
from ...terrain.strata import Strata
from .options import RECIPE
from .reading import reading_of, reading_words

Mask = tuple[str, str]
"""Kind of a mask and its file."""


@dataclass(frozen=True)
class LandOrder:
    """Heightmap to read.

    keeps_holes: whether cells without data stay so in TIFFs. range_is_of_input: whether the height
    range says how to read the file, and not how to write a result.
    """

    path: Path
    reading: Reading
    smooth_steps: bool
    keeps_holes: bool
    range_is_of_input: bool
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "LandOrder":
        """From the arguments of a command with an input."""
        return cls(
            arguments.input,
            reading_of(arguments),
            arguments.smooth_steps,
            keeps_holes=arguments.holes is None,
            range_is_of_input=not hasattr(arguments, "output"),
            quiet=arguments.quiet,
        )

    @property
    def files(self) -> list[Path]:
        """Files of the input, which no output may replace."""
        return [self.path, self.path.with_suffix(".json")]


@dataclass(frozen=True)
class SourceOrder:
    """Start of a run: heightmap, recipe with its settings, masks and loose sand.

    sand: thickness in m, 0 for the recipe's, None for none. surface_color: image or strata, or
    None.
    """

    land: LandOrder
    recipe: Recipe
    masks: Sequence[Mask]
    sand: float | None
    surface_color: str | None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "SourceOrder":
        """From the arguments of a command that erodes; InputError for an unknown recipe."""
        recipe = Recipe.load(arguments.recipe or RECIPE).with_values(dict(arguments.set))
        if arguments.surface_color and is_strata(arguments.surface_color):
            recipe = dataclasses.replace(recipe, strata=Strata.load(arguments.surface_color))
        return cls(
            LandOrder.of(arguments), recipe, arguments.mask, arguments.sand, arguments.surface_color
        )


@dataclass(frozen=True)
class MapsOrder:
    """Maps beside a result. folder: None for no maps. green: of normals."""

    folder: Path | None
    analyze: bool
    png: bool
    tif: bool
    green: str

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "MapsOrder":
        """From the arguments of a command that writes all maps of a terrain."""
        return cls(
            arguments.maps,
            arguments.analyze,
            arguments.png_maps,
            arguments.tif_maps,
            arguments.normals,
        )


@dataclass(frozen=True)
class ResultsOrder:
    """Files of a run that `erode` or `resume` writes.

    height_range: m of black and white. time_limit, save_every: seconds, infinite for never.
    continues: whether an existing checkpoint is continued from. words: arguments by name, by which
    the report identifies the run.
    """

    inputs: Sequence[str | Path]
    output: Path
    height_range: Range | None
    maps: MapsOrder
    weights: bool
    report: Path | None
    checkpoint: Path | None
    time_limit: float
    save_every: float
    continues: bool
    threads: int
    quiet: bool
    words: Mapping[str, Any]

    @classmethod
    def of(cls, arguments: argparse.Namespace, inputs: Sequence[str | Path]) -> "ResultsOrder":
        """From the arguments of a run; InputError for options that lack another one."""
        words = vars(arguments)
        if arguments.analyze and not arguments.maps:
            raise InputError("--analyze needs --maps, the folder for its maps.")
        if arguments.weights and not arguments.maps:
            raise InputError("--weights needs --maps, the folder for them.")
        for option in ("time_limit", "checkpoint_every", "go_on"):
            if words.get(option) and arguments.checkpoint is None:
                name = {"go_on": "continue"}.get(option, option).replace("_", "-")
                raise InputError(f"--{name} needs --checkpoint, the file that holds the run.")
        limit = arguments.time_limit
        minutes = arguments.checkpoint_every
        return cls(
            inputs,
            arguments.output,
            arguments.height_range,
            MapsOrder.of(arguments),
            arguments.weights,
            arguments.report,
            arguments.checkpoint,
            time_limit=math.inf if limit is None else limit,
            save_every=math.inf if minutes is None else 60 * minutes,
            continues=words.get("go_on", False),
            threads=arguments.threads or 0,
            quiet=arguments.quiet,
            words=words,
        )


@dataclass(frozen=True)
class FramesOrder:
    """States of a run to keep. folder, count: None for none."""

    folder: Path | None
    count: int | None
    fields: Sequence[str]

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "FramesOrder":
        """From the arguments of `erode`; InputError for options that do not fit."""
        count = arguments.frames
        if arguments.frames_per_second is not None:
            if count is not None:
                raise InputError(
                    "--frames and --frames-per-second both set the number of frames; give one "
                    "of them."
                )
            count = frames_of_film(*arguments.frames_per_second)
        if (count is None) != (arguments.frames_folder is None) or (
            arguments.frames_fields and count is None
        ):
            raise InputError("--frames and --frames-folder belong together; give both.")
        return cls(arguments.frames_folder, count, arguments.frames_fields)


@dataclass(frozen=True)
class ErodeOrder:
    """Arguments of `erode`. seed, edges: None for the recipe's."""

    source: SourceOrder
    seed: int | None
    edges: str | None
    region: Sequence[float] | None
    region_mask: Path | None
    frames: FramesOrder
    results: ResultsOrder

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "ErodeOrder":
        """From the parsed arguments; InputError for those that do not fit."""
        if arguments.look:
            raise InputError("--look is for an OUTPUT that ends in .blend.")
        if arguments.region is not None and arguments.region_mask is not None:
            raise InputError("--region and --region-mask both set the region; give one of them.")
        return cls(
            SourceOrder.of(arguments),
            arguments.seed,
            arguments.edges,
            arguments.region,
            arguments.region_mask,
            FramesOrder.of(arguments),
            ResultsOrder.of(arguments, inputs_of(arguments)),
        )


@dataclass(frozen=True)
class ResumeOrder:
    """Arguments of `resume`."""

    checkpoint: Path
    frames_folder: Path | None
    results: ResultsOrder

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "ResumeOrder":
        """From the parsed arguments; InputError for those that do not fit."""
        results = ResultsOrder.of(
            arguments, [arguments.input, arguments.input.with_suffix(".json")]
        )
        return cls(arguments.input, arguments.frames_folder, results)


@dataclass(frozen=True)
class VariantsOrder:
    """Arguments of `variants`.

    vary: parameters and their values. side: cells along the longer side of a picture. recipe: as
    named. settings: values of `--set`, and options: further words of a command that erodes alike.
    words: arguments by name that a variant in full depends on.
    """

    source: SourceOrder
    inputs: Sequence[str | Path]
    folder: Path
    seeds: Sequence[int]
    vary: Sequence[tuple[str, Sequence[Any]]]
    full: bool
    side: int
    edges: str | None
    threads: int
    quiet: bool
    recipe: str
    settings: Sequence[str]
    options: Sequence[str]
    words: Mapping[str, Any]

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "VariantsOrder":
        """From the parsed arguments; InputError for those that do not fit."""
        source = SourceOrder.of(arguments)
        for name, values in arguments.vary:
            if not isinstance(values, list) or not values:
                raise InputError(
                    f"--vary needs a list of values, such as {name}=[0.1,0.2], not {values!r:.60}."
                )
        of_the_table = {"seeds", "vary", "full", "side", "folder"}
        words = {name: value for name, value in vars(arguments).items() if name not in of_the_table}
        return cls(
            source,
            inputs_of(arguments),
            arguments.folder,
            list(dict.fromkeys(arguments.seeds)),
            arguments.vary,
            arguments.full,
            arguments.side,
            arguments.edges,
            arguments.threads or 0,
            arguments.quiet,
            recipe=arguments.recipe or RECIPE,
            settings=[setting_word(name, value) for name, value in arguments.set],
            options=_erode_options(arguments),
            words=words,
        )


def setting_word(name: str, value: Any) -> str:
    """A value in the syntax of --set."""
    return f"{name}={value if isinstance(value, str) else json.dumps(value)}"


def _erode_options(arguments: argparse.Namespace) -> list[str]:
    """Options of `variants` that `erode` takes too, without seed and settings, as words."""
    options = []
    for name, value in (
        ("--edges", arguments.edges),
        ("--surface-color", arguments.surface_color),
        ("--sand", arguments.sand),
    ):
        if value is not None:
            options.append(name)
            if value:  # --sand may have no value
                options.append(str(value))
    if arguments.smooth_steps:
        options.append("--smooth-steps")
    if arguments.height_range:
        options += ["--height-range", *map(str, arguments.height_range)]
    if arguments.size:
        options += ["--size", "{}x{}".format(*arguments.size)]
    options += reading_words(arguments)
    if arguments.mask:
        options += ["--mask", *(f"{kind}={path}" for kind, path in arguments.mask)]
    return options


def inputs_of(arguments: argparse.Namespace) -> list[str | Path]:
    """Input files of a command that erodes, which no output may replace."""
    words = vars(arguments)
    files = [arguments.input, arguments.input.with_suffix(".json")]
    files += [words[name] for name in ("surface_color", "region_mask") if words.get(name)]
    return [*files, *(path for _, path in arguments.mask)]


def is_strata(surface_color: str) -> bool:
    """Whether the text names strata, shipped or in a file; else it is an image."""
    return Path(surface_color).suffix.lower() not in IMAGE_SUFFIXES
