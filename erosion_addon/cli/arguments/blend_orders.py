# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders of the commands that need Blender: render, and erode with .blend files."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...base.errors import InputError
from ...files.render_settings import Picture
from .options import RECIPE
from .orders import SourceOrder, inputs_of
from .reading import OPTIONS

_OF_BOTH = {
    *("command", "input", "output", "recipe", "set", "seed", "edges", "report", "quiet"),
    *("progress", "threads", "look", "normals"),
}
"""Arguments for every terrain in a .blend file."""

_OF_A_FILE = {"object"}
"""Arguments that apply to an existing terrain."""

_OF_A_HEIGHTMAP = {
    *OPTIONS,
    *("size", "height_range", "smooth_steps", "mask", "sand", "surface_color"),
}
"""Arguments that apply to a terrain from a heightmap."""


@dataclass(frozen=True)
class BlendErodeOrder:
    """Arguments of `erode` for an output that is a .blend file.

    inputs: files that no output may replace. source: the heightmap with all that it starts with;
    None where the input is a .blend file. terrain: name of the object in it, or None. recipe: as
    named, "" for the terrain's own. seed, edges: None for the terrain's. threads: None for all.
    look: whether the terrain gets material, water, plants, light, sky and camera.
    """

    input: Path
    inputs: Sequence[str | Path]
    output: Path
    report: Path | None
    source: SourceOrder | None
    terrain: str | None
    recipe: str
    values: Mapping[str, Any]
    seed: int | None
    edges: str | None
    threads: int | None
    look: bool
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "BlendErodeOrder":
        """From the parsed arguments; InputError for arguments that do not apply."""
        is_file = arguments.input.suffix.lower() == ".blend"
        _require_only(arguments, is_file)
        return cls(
            arguments.input,
            inputs_of(arguments),
            arguments.output,
            arguments.report,
            source=None if is_file else SourceOrder.of(arguments),
            terrain=arguments.object,
            recipe=arguments.recipe or ("" if is_file else RECIPE),
            values=dict(arguments.set),
            seed=arguments.seed,
            edges=arguments.edges,
            threads=arguments.threads,
            look=arguments.look,
            quiet=arguments.quiet,
        )


def _require_only(arguments: argparse.Namespace, is_file: bool) -> None:
    """Raise InputError for an option that does not apply."""
    names = _OF_BOTH | (_OF_A_FILE if is_file else _OF_A_HEIGHTMAP)
    wrong = [
        name
        for name, value in vars(arguments).items()
        if name not in names and value not in (None, False, [])
    ]
    if not wrong:
        return
    option = {"go_on": "continue"}.get(wrong[0], wrong[0]).replace("_", "-")
    if wrong[0] in _OF_A_FILE:
        raise InputError(
            f"--{option} chooses a terrain of a .blend file, and {arguments.input} is a heightmap."
        )
    if wrong[0] in _OF_A_HEIGHTMAP:
        raise InputError(
            f"--{option} is for heightmaps; the terrain of a .blend file brings its own settings."
        )
    raise InputError(
        f"--{option} is for an OUTPUT that is a heightmap; a .blend file holds the fields as "
        "attributes."
    )


@dataclass(frozen=True)
class RenderOrder:
    """Arguments of `render`. terrain: name of the object, or None. turns: degrees around the
    terrain by picture to write.
    """

    input: Path
    terrain: str | None
    picture: Picture
    turns: Mapping[Path, float]
    quiet: bool

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "RenderOrder":
        """From the parsed arguments."""
        output = arguments.output
        frames = arguments.turntable
        picture = Picture(
            size=arguments.size,
            samples=arguments.samples,
            engine=arguments.engine,
            view="whole" if frames and arguments.view == "file" else arguments.view,
            turn=arguments.turn,
            light=arguments.light or "",
            plants=arguments.plants,
            passes=arguments.passes,
        )
        turns = _turntable(output, frames) if frames else {output: 0.0}
        return cls(arguments.input, arguments.object, picture, turns, arguments.quiet)


def _turntable(path: Path, frames: int) -> dict[Path, float]:
    """Files of a turntable, and the angle of each in degrees."""
    names = (f"{path.stem}_{number:04d}{path.suffix}" for number in range(1, frames + 1))
    return {path.with_name(name): 360 * frame / frames for frame, name in enumerate(names)}
