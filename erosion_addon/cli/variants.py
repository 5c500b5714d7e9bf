# SPDX-License-Identifier: GPL-3.0-or-later
"""Command variants: small results with several seeds and values, on a page to choose from."""

import argparse
import itertools
import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..bake.light.bake import shaded_relief
from ..base.arrays import Array, longer_side
from ..base.atomic_files import Outputs
from ..base.errors import InputError, printable
from ..base.threads import OnProgress
from ..files.heightmap import encode_heightmap
from ..files.image_files import ImageFiles
from ..recipe.edges import edges_of_run
from ..recipe.recipe import Recipe
from ..run import preview
from ..run.precompile import rehearse
from ..run.simulation import simulate
from ..terrain.terrain import SMALLEST_SIDE, Terrain
from .arguments.options import RECIPE
from .arguments.reading import given_reading
from .finished import is_finished, order_of
from .source import inputs, note_lack, read, recipe_of
from .terminal import signals
from .terminal.output import note, print_written
from .terminal.progress import ProgressLine, RunProgress
from .watching import watched

GAP = 8
"""Points between the pictures of the sheet."""

MOST = 500
"""Most variants on one page."""

HEIGHTS = "elevation.exr"
"""File of a variant in full."""

_OF_THE_TABLE = {"seeds", "vary", "full", "side", "folder"}
"""Arguments that leave a single variant in full as it is."""

STYLE = """body { font: 15px system-ui, sans-serif; margin: 2em }
body { background: #202124; color: #e8e8e8 }
table { border-spacing: 10px } th { font-weight: 600 } figure { margin: 0; width: 384px }
img { width: 100%; image-rendering: auto }
code { font-size: 12px; user-select: all; color: #b8c7d9 }"""


def variants(arguments: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    recipe = recipe_of(arguments)
    rows = _rows(arguments, recipe)
    seeds = list(dict.fromkeys(arguments.seeds))
    if len(rows) * len(seeds) > MOST:
        raise InputError(f"{len(rows) * len(seeds)} variants are too many for a page; {MOST} fit.")
    if arguments.side < SMALLEST_SIDE:
        raise InputError(
            f"--side {arguments.side} is too small; a terrain has at least {SMALLEST_SIDE} cells a "
            "side."
        )
    with Outputs(inputs(arguments)) as outputs:
        outputs.plan_folder(arguments.folder)
        page = outputs.plan(arguments.folder / "index.html", (".html",))
        sheet = outputs.plan(arguments.folder / "sheet.png", (".png",))
        pictures = [
            [outputs.plan(arguments.folder / f"{row}_{seed}.png", (".png",)) for seed in seeds]
            for row in range(len(rows))
        ]
        full = _Whole(outputs, arguments, len(rows), seeds) if arguments.full else None
        terrain, masks, _ = read(arguments, recipe, image_files)
        edges, on_edges = edges_of_run(recipe, terrain.elevation, arguments.edges)
        if not arguments.quiet:
            note_lack(recipe, terrain, masks)
            for sentence in on_edges:
                note(sentence)
        shape = preview.shape_of(terrain.shape, arguments.side)
        small = preview.reduced(terrain, shape)
        small_masks = preview.reduced_masks(masks, shape)
        longer = longer_side(terrain.shape, terrain.spacing)
        images: list[list[Array]] = []
        small_work = small.elevation.size
        full_work = terrain.elevation.size if full else 0
        progress = RunProgress(
            ProgressLine(arguments.quiet), len(rows) * len(seeds) * (small_work + full_work)
        )
        with full.naming_finished() if full else nullcontext():
            for row, ((words, varied), files) in enumerate(zip(rows, pictures, strict=True)):
                images.append([])
                small_recipe = preview.fitted(varied, longer, terrain.cell_size, small.cell_size)

                def compile_kernels(
                    on_progress: OnProgress, small_recipe: Recipe = small_recipe
                ) -> None:
                    rehearse(small_recipe, small.spacing, small_masks, small.fields, on_progress)

                for seed, target in zip(seeds, files, strict=True):
                    progress.begin(small_work, f"variant {row}_{seed}")
                    run = simulate(
                        small,
                        small_recipe,
                        seed=seed,
                        edges=edges,
                        masks=small_masks,
                        threads=arguments.threads or 0,
                    )
                    result = watched(run, compile_kernels, progress).terrain
                    images[-1].append(shaded_relief(result))
                    with outputs.write(target) as path:
                        image_files.write(path, images[-1][-1], "uint16")
                    if full:
                        full.make(terrain, masks, varied, (row, seed), words, image_files, progress)
        with outputs.write(sheet) as path:
            image_files.write(path, _sheet(images), "uint16")
        if full:
            full.write_table()
        with outputs.write(page) as path:
            path.write_text(_page(arguments, [words for words, _ in rows], seeds), encoding="utf-8")
        published = outputs.publish()
    print_written(path for path in published if path.suffix == ".html")
    if not arguments.quiet:
        count = len(rows) * len(seeds)
        variants = "1 variant" if count == 1 else f"{count} variants"
        note(f"{variants} on {shape[0]} × {shape[1]} cells; the page tells the command of each.")


def _rows(arguments: argparse.Namespace, recipe: Recipe) -> list[tuple[str, Recipe]]:
    """Arguments of --set and the recipe of each row; InputError for an invalid value."""
    for name, values in arguments.vary:
        if not isinstance(values, list) or not values:
            raise InputError(
                f"--vary needs a list of values, such as {name}=[0.1,0.2], not {values!r:.60}."
            )
    names = [name for name, _ in arguments.vary]
    table = [
        dict(zip(names, combination, strict=True))
        for combination in itertools.product(*(values for _, values in arguments.vary))
    ]
    return [(_words(values), recipe.with_values(values)) for values in table]


def _words(values: dict[str, Any]) -> str:
    """Values in the syntax of --set."""
    return " ".join(f"{name}={_word(value)}" for name, value in values.items())


def _sheet(images: list[list[Array]]) -> Array:
    """All pictures in one, in rows and columns."""
    framed = [[np.pad(picture, ((GAP, 0), (GAP, 0), (0, 0))) for picture in row] for row in images]
    return np.pad(np.vstack([np.hstack(row) for row in framed[::-1]]), ((0, GAP), (0, GAP), (0, 0)))


class _Whole:
    """Variants in full, a folder for each, and a table of them. Each is there as soon as it is
    made, and stays if the command is ended; the same command makes the others.
    """

    def __init__(
        self, outputs: Outputs, arguments: argparse.Namespace, rows: int, seeds: list[int]
    ) -> None:
        self._outputs = outputs
        self._arguments = arguments
        self._table = list[dict[str, Any]]()
        self._list = outputs.plan(arguments.folder / "variants.json", (".json",))
        for row, seed in itertools.product(range(rows), seeds):
            folder = arguments.folder / f"{row}_{seed}"
            outputs.plan_folder(folder)
            for name in (HEIGHTS, "report.json"):
                outputs.plan(folder / name, (Path(name).suffix,))
        common = {
            name: value for name, value in vars(arguments).items() if name not in _OF_THE_TABLE
        }
        self._order = order_of(argparse.Namespace(**common), None, inputs(arguments))
        self._stay = 0

    def make(
        self,
        terrain: Terrain,
        masks: dict[str, Array],
        recipe: Recipe,
        place: tuple[int, int],
        words: str,
        image_files: ImageFiles,
        progress: RunProgress,
    ) -> None:
        """Erode and write a variant, if it is not there already. place: row and seed."""
        arguments, (row, seed) = self._arguments, place
        name = f"{row}_{seed}"
        report = arguments.folder / name / "report.json"
        order = order_of(argparse.Namespace(order=self._order, seed=seed), recipe, [])
        if is_finished(report, order):
            progress.skip(terrain.elevation.size, f"variant {name} in full")
            content = json.loads(report.read_text(encoding="utf-8"))
        else:
            run = simulate(
                terrain,
                recipe,
                seed=seed,
                edges=arguments.edges,
                masks=masks,
                threads=arguments.threads or 0,
            )
            progress.begin(terrain.elevation.size, f"variant {name} in full")
            result = watched(
                run, partial(rehearse, recipe, terrain.spacing, masks, terrain.fields), progress
            ).terrain
            content = self._write(report, result, order, image_files)
        self._stay += 1
        self._table.append(
            {"folder": name, "seed": seed, "set": words, "sha256": content["sha256"]["elevation"]}
        )

    def _write(
        self, report: Path, result: Terrain, order: str, image_files: ImageFiles
    ) -> dict[str, Any]:
        """Write a variant, all or nothing; returns its report."""
        with Outputs(inputs(self._arguments)) as outputs:
            for folder in (self._arguments.folder, report.parent):
                outputs.plan_folder(folder)
            target, heights = (
                outputs.plan(path, (path.suffix,)) for path in (report, report.with_name(HEIGHTS))
            )
            with outputs.write(heights) as path:
                encode_heightmap(path, result.elevation, image_files)
            content = {**(result.report or {}), "order": order, "files": outputs.digests()}
            with outputs.write(target) as path:
                path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            outputs.publish(goes_on=True)
        return content

    @contextmanager
    def naming_finished(self) -> Iterator[None]:
        """Context that says what an ended command leaves."""
        try:
            yield
        except (KeyboardInterrupt, signals.Ended) as end:
            if not self._stay:
                raise
            stay = "1 variant stays" if self._stay == 1 else f"{self._stay} variants stay"
            raise signals.renamed(
                end, f"{stay} in {self._arguments.folder}; the same command makes the others"
            ) from None

    def write_table(self) -> None:
        """Write the table of all variants."""
        with self._outputs.write(self._list) as path:
            path.write_text(json.dumps(self._table, indent=1) + "\n", encoding="utf-8")


def _word(value: Any) -> str:
    """A value in the syntax of --set."""
    return value if isinstance(value, str) else json.dumps(value)


def _page(arguments: argparse.Namespace, rows: list[str], seeds: list[int]) -> str:
    """HTML page with a row of pictures for each value and a column for each seed."""
    title = _html(f"{arguments.input.name}, {(arguments.recipe or RECIPE)}")
    head = "".join(f"<th>seed {seed}</th>" for seed in seeds)
    body = "".join(
        f"<tr><th>{_html(words)}</th>"
        + "".join(_cell(arguments, number, words, seed) for seed in seeds)
        + "</tr>\n"
        for number, words in enumerate(rows)
    )
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{STYLE}</style>\n"
        f"<h1>{title}</h1>\n<table><tr><th></th>{head}</tr>\n{body}</table></html>\n"
    )


def _html(text: str) -> str:
    return escape(printable(text))


def _cell(arguments: argparse.Namespace, row: int, words: str, seed: int) -> str:
    caption = f"<figcaption><code>{_html(_command(arguments, words, seed))}</code></figcaption>"
    return f'<td><figure><img src="{row}_{seed}.png" alt="">{caption}</figure></td>'


def _command(arguments: argparse.Namespace, words: str, seed: int) -> str:
    """Command for the full version of a variant, without the name of its output."""
    settings = [f"{name}={_word(value)}" for name, value in arguments.set] + words.split(
        " "
    ) * bool(words)
    command = [
        "python",
        "-m",
        "erosion_addon",
        "erode",
        str(arguments.input),
        "OUTPUT.exr",
        "--recipe",
        (arguments.recipe or RECIPE),
    ]
    command += ["--seed", str(seed), *(["--set", *settings] if settings else [])]
    for option in ("edges", "surface_color", "sand"):
        value = getattr(arguments, option)
        if value is not None:
            # --sand may have no value
            command += [f"--{option.replace('_', '-')}", *([str(value)] if value else [])]
    command += ["--smooth-steps"] if arguments.smooth_steps else []
    command += (
        ["--height-range", *map(str, arguments.height_range)] if arguments.height_range else []
    )
    command += ["--size", "{}x{}".format(*arguments.size)] if arguments.size else []
    command += given_reading(arguments)
    command += (
        ["--mask", *(f"{kind}={path}" for kind, path in arguments.mask)] if arguments.mask else []
    )
    return shlex.join(command)
