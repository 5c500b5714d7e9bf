# SPDX-License-Identifier: GPL-3.0-or-later
"""Command variants: small results with several seeds and values, on a page to choose from."""

import itertools
import json
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import Array, longer_side
from ..base.atomic_files import Outputs
from ..base.errors import InputError, printable
from ..files.heightmap import encode_heightmap
from ..files.image_files import ImageFiles
from ..recipe.edges import edges_of_run
from ..recipe.recipe import Recipe
from ..run import preview
from ..run.precompile import rehearse
from ..run.progress import Progress
from ..run.simulation import RunOptions, begin
from ..terrain.terrain import SMALLEST_SIDE, Terrain
from .arguments.orders import VariantsOrder, setting_word
from .finished import digest_of, is_finished
from .source import note_lack, read
from .terminal import signals
from .terminal.output import note, print_written
from .terminal.progress import ProgressLine, RunProgress, watched

GAP = 8
"""Points between the pictures of the sheet."""

MOST = 500
"""Most variants on one page."""

HEIGHTS = "elevation.exr"
"""File of a variant in full."""

STYLE = """body { font: 15px system-ui, sans-serif; margin: 2em }
body { background: #202124; color: #e8e8e8 }
table { border-spacing: 10px } th { font-weight: 600 } figure { margin: 0; width: 384px }
img { width: 100%; image-rendering: auto }
code { font-size: 12px; user-select: all; color: #b8c7d9 }"""


@dataclass(frozen=True)
class _Variant:
    """Variant of a recipe: its row, its seed, and the values of the row as words of `--set`."""

    row: int
    seed: int
    words: str
    recipe: Recipe

    @property
    def name(self) -> str:
        """Name of its picture, and of its folder in full."""
        return f"{self.row}_{self.seed}"


def variants(order: VariantsOrder, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid inputs."""
    source = order.source
    rows = _rows(order)
    count = len(rows) * len(order.seeds)
    if count > MOST:
        raise InputError(f"{count} variants are too many for a page; {MOST} fit.")
    if order.side < SMALLEST_SIDE:
        raise InputError(
            f"--side {order.side} is too small; a terrain has at least {SMALLEST_SIDE} cells a "
            "side."
        )
    table = [
        _Variant(row, seed, words, recipe)
        for row, (words, recipe) in enumerate(rows)
        for seed in order.seeds
    ]
    with Outputs(order.inputs) as outputs:
        outputs.plan_folder(order.folder)
        page = outputs.plan(order.folder / "index.html", (".html",))
        sheet = outputs.plan(order.folder / "sheet.png", (".png",))
        pictures = [outputs.plan(order.folder / f"{item.name}.png", (".png",)) for item in table]
        full = _FullVariants(outputs, order, table, image_files) if order.full else None
        terrain, masks, _ = read(source, image_files)
        edges, on_edges = edges_of_run(source.recipe, terrain.elevation, order.edges)
        if not order.quiet:
            note_lack(source.recipe, terrain, masks)
            for sentence in on_edges:
                note(sentence)
        shape = preview.shape_of(terrain.shape, order.side)
        small = preview.reduced(terrain, shape)
        small_masks = preview.reduced_masks(masks, shape)
        longer = longer_side(terrain.shape, terrain.spacing)
        work = small.elevation.size
        full_work = terrain.elevation.size if full else 0
        progress = RunProgress(ProgressLine(order.quiet), count * (work + full_work))
        recipes = preview.variants_of(
            [recipe for _, recipe in rows],
            order.seeds,
            lambda recipe: preview.fitted(recipe, longer, terrain.cell_size, small.cell_size),
        )
        names = iter(table)

        def watch(run: Iterator[Progress], recipe: Recipe) -> Progress:
            progress.begin(work, f"variant {next(names).name}")
            compile_kernels = partial(rehearse, recipe, small.spacing, small_masks, small.fields)
            return watched(run, compile_kernels, progress)

        images: list[Array] = []
        options = RunOptions(edges=edges, masks=small_masks, threads=order.threads)
        with full.naming_finished() if full else nullcontext():
            for image in preview.reliefs(small, recipes, options, watch):
                number = len(images)
                images.append(image)
                with outputs.write(pictures[number]) as path:
                    image_files.write(path, image, "uint16")
                if full:
                    full.make(table[number], terrain, masks, progress)
        with outputs.write(sheet) as path:
            image_files.write(path, _sheet(images, len(order.seeds)), "uint16")
        if full:
            full.write_table()
        with outputs.write(page) as path:
            path.write_text(_page(order, [words for words, _ in rows]), encoding="utf-8")
        published = outputs.publish()
    print_written(path for path in published if path.suffix == ".html")
    if not order.quiet:
        amount = "1 variant" if count == 1 else f"{count} variants"
        note(f"{amount} on {shape[0]} × {shape[1]} cells; the page tells the command of each.")


def _rows(order: VariantsOrder) -> list[tuple[str, Recipe]]:
    """Arguments of --set and the recipe of each row; InputError for an invalid value."""
    names = [name for name, _ in order.vary]
    table = [
        dict(zip(names, combination, strict=True))
        for combination in itertools.product(*(values for _, values in order.vary))
    ]
    return [(_words(values), order.source.recipe.with_values(values)) for values in table]


def _words(values: dict[str, Any]) -> str:
    """Values in the syntax of --set."""
    return " ".join(setting_word(name, value) for name, value in values.items())


def _sheet(images: list[Array], columns: int) -> Array:
    """All pictures in one, in rows and columns."""
    framed = [np.pad(picture, ((GAP, 0), (GAP, 0), (0, 0))) for picture in images]
    rows = [np.hstack(framed[first : first + columns]) for first in range(0, len(framed), columns)]
    return np.pad(np.vstack(rows[::-1]), ((0, GAP), (0, GAP), (0, 0)))


class _FullVariants:
    """Variants in full, a folder for each, and a table of them.

    Each is written as soon as it is made, and stays if the command is ended; the same command makes
    the missing ones.
    """

    def __init__(
        self, outputs: Outputs, order: VariantsOrder, table: list[_Variant], image_files: ImageFiles
    ) -> None:
        self._outputs = outputs
        self._order = order
        self._image_files = image_files
        self._table = list[dict[str, Any]]()
        self._list = outputs.plan(order.folder / "variants.json", (".json",))
        for variant in table:
            folder = order.folder / variant.name
            outputs.plan_folder(folder)
            for name in (HEIGHTS, "report.json"):
                outputs.plan(folder / name, (Path(name).suffix,))
        self._digest = digest_of(order.words, None, order.inputs)

    def make(
        self, variant: _Variant, terrain: Terrain, masks: dict[str, Array], progress: RunProgress
    ) -> None:
        """Erode and write a variant, unless its files are complete."""
        order = self._order
        recipe = variant.recipe
        report = order.folder / variant.name / "report.json"
        digest = digest_of({"order": self._digest, "seed": variant.seed}, recipe, [])
        if is_finished(report, digest):
            progress.skip(terrain.elevation.size, f"variant {variant.name} in full")
            content = json.loads(report.read_text(encoding="utf-8"))
        else:
            run = begin(
                terrain, recipe, RunOptions(variant.seed, order.edges, masks, order.threads)
            )
            progress.begin(terrain.elevation.size, f"variant {variant.name} in full")
            compile_kernels = partial(rehearse, recipe, terrain.spacing, masks, terrain.fields)
            result = watched(run, compile_kernels, progress).terrain
            content = self._write(report, result, digest)
        self._table.append(
            {
                "folder": variant.name,
                "seed": variant.seed,
                "set": variant.words,
                "sha256": content["sha256"]["elevation"],
            }
        )

    def _write(self, report: Path, result: Terrain, digest: str) -> dict[str, Any]:
        """Write a variant, all or nothing; returns its report."""
        with Outputs(self._order.inputs) as outputs:
            for folder in (self._order.folder, report.parent):
                outputs.plan_folder(folder)
            target = outputs.plan(report, (report.suffix,))
            path_of_heights = report.with_name(HEIGHTS)
            heights = outputs.plan(path_of_heights, (path_of_heights.suffix,))
            with outputs.write(heights) as path:
                encode_heightmap(path, result.elevation, self._image_files)
            content = {**(result.report or {}), "order": digest, "files": outputs.digests()}
            with outputs.write(target) as path:
                path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
            outputs.publish(goes_on=True)
        return content

    @contextmanager
    def naming_finished(self) -> Iterator[None]:
        """Context that names the files left by an ended command."""
        try:
            yield
        except (KeyboardInterrupt, signals.Ended) as end:
            count = len(self._table)
            if not count:
                raise
            stay = "1 variant stays" if count == 1 else f"{count} variants stay"
            raise signals.renamed(
                end, f"{stay} in {self._order.folder}; the same command makes the others"
            ) from None

    def write_table(self) -> None:
        """Write the table of all variants."""
        with self._outputs.write(self._list) as path:
            path.write_text(json.dumps(self._table, indent=1) + "\n", encoding="utf-8")


def _page(order: VariantsOrder, rows: list[str]) -> str:
    """HTML page with a row of pictures for each value and a column for each seed."""
    title = _html(f"{order.source.land.path.name}, {order.recipe}")
    head = "".join(f"<th>seed {seed}</th>" for seed in order.seeds)
    body = "".join(
        f"<tr><th>{_html(words)}</th>"
        + "".join(_cell(order, number, words, seed) for seed in order.seeds)
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


def _cell(order: VariantsOrder, row: int, words: str, seed: int) -> str:
    caption = f"<figcaption><code>{_html(_command(order, words, seed))}</code></figcaption>"
    return f'<td><figure><img src="{row}_{seed}.png" alt="">{caption}</figure></td>'


def _command(order: VariantsOrder, words: str, seed: int) -> str:
    """Command for the full version of a variant, without the name of its output."""
    settings = [*order.settings, *(words.split(" ") if words else [])]
    command = ["python", "-m", "erosion_addon", "erode", str(order.source.land.path), "OUTPUT.exr"]
    command += ["--recipe", order.recipe, "--seed", str(seed)]
    if settings:
        command += ["--set", *settings]
    return shlex.join([*command, *order.options])
