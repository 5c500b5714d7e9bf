# SPDX-License-Identifier: GPL-3.0-or-later
"""Command variants: small results with several seeds and values, on a page to choose from."""

import argparse
import json
import shlex
from html import escape
from typing import Any

from ..base.atomic_files import Outputs
from ..base.errors import InputError
from ..files.image_files import ImageFiles
from ..light.relief import shaded_relief
from ..recipe.recipe import Recipe
from ..run import preview
from ..run.precompile import Tell, rehearse
from ..run.simulation import simulate
from ..terrain.terrain import SMALLEST_SIDE
from .source import RECIPE, inputs, note_lack, read, recipe_of
from .terminal.output import note, say_written
from .watching import watched

MOST = 100
"""Most variants on one page."""

STYLE = """body { font: 15px system-ui, sans-serif; margin: 2em; background: #202124; color: #e8e8e8 }
table { border-spacing: 10px } th { font-weight: 600 } figure { margin: 0; width: 384px }
img { width: 100%; image-rendering: auto } code { font-size: 12px; user-select: all; color: #b8c7d9 }"""


def variants(given: argparse.Namespace, image_files: ImageFiles) -> None:
    """Run the command; InputError for invalid arguments."""
    recipe = recipe_of(given)
    rows = _rows(given, recipe)
    seeds = list(dict.fromkeys(given.seeds))
    if len(rows) * len(seeds) > MOST:
        raise InputError(f"{len(rows) * len(seeds)} variants are too many for a page; {MOST} fit.")
    if given.side < SMALLEST_SIDE:
        raise InputError(f"--side {given.side} is too small; a terrain has at least {SMALLEST_SIDE} cells a side.")
    with Outputs(inputs(given)) as outputs:
        outputs.plan_folder(given.folder)
        page = outputs.plan(given.folder / "index.html", (".html",))
        pictures = [
            [outputs.plan(given.folder / f"{row}_{seed}.png", (".png",)) for seed in seeds] for row in range(len(rows))
        ]
        terrain, masks = read(given, recipe, image_files)
        if not given.quiet:
            note_lack(recipe, terrain, masks)
        shape = preview.shape_of(terrain.shape, given.side)
        small, small_masks = preview.reduced(terrain, shape), preview.reduced_masks(masks, shape)
        longer = max(cells * spacing for cells, spacing in zip(terrain.shape, terrain.spacing, strict=True))
        for (_, varied), files in zip(rows, pictures, strict=True):
            fitted = preview.fitted(varied, longer, terrain.cell_size, small.cell_size)

            def compile_kernels(tell: Tell, fitted: Recipe = fitted) -> None:
                rehearse(fitted, small.spacing, small_masks, small.fields, tell)

            for seed, target in zip(seeds, files, strict=True):
                run = simulate(
                    small, fitted, seed=seed, edges=given.edges, masks=small_masks, threads=given.threads or 0
                )
                result = watched(run, compile_kernels, given).terrain
                with outputs.write(target) as path:
                    image_files.write(path, shaded_relief(result), "uint16")
        with outputs.write(page) as path:
            path.write_text(_page(given, [words for words, _ in rows], seeds), encoding="utf-8")
        published = outputs.publish()
    say_written(path for path in published if path.suffix == ".html")
    if not given.quiet:
        note(f"{len(rows) * len(seeds)} variants on {shape[0]} × {shape[1]} cells; the page tells the command of each.")


def _rows(given: argparse.Namespace, recipe: Recipe) -> list[tuple[str, Recipe]]:
    """Arguments of --set and the recipe of each row; InputError for an invalid value."""
    if given.vary is None:
        return [("", recipe)]
    name, values = given.vary
    if not isinstance(values, list) or not values:
        raise InputError(f"--vary needs a list of values, such as {name}=[0.1,0.2], not {values!r:.60}.")
    return [(f"{name}={_word(value)}", recipe.with_values({name: value})) for value in values]


def _word(value: Any) -> str:
    """A value in the syntax of --set."""
    return value if isinstance(value, str) else json.dumps(value)


def _page(given: argparse.Namespace, rows: list[str], seeds: list[int]) -> str:
    """HTML page with a row of pictures for each value and a column for each seed."""
    title = escape(f"{given.input.name}, {(given.recipe or RECIPE)}")
    head = "".join(f"<th>seed {seed}</th>" for seed in seeds)
    body = "".join(
        f"<tr><th>{escape(words)}</th>" + "".join(_cell(given, number, words, seed) for seed in seeds) + "</tr>\n"
        for number, words in enumerate(rows)
    )
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<table><tr><th></th>{head}</tr>\n{body}</table></html>\n"
    )


def _cell(given: argparse.Namespace, row: int, words: str, seed: int) -> str:
    caption = f"<figcaption><code>{escape(_command(given, words, seed))}</code></figcaption>"
    return f'<td><figure><img src="{row}_{seed}.png" alt="">{caption}</figure></td>'


def _command(given: argparse.Namespace, words: str, seed: int) -> str:
    """Command for the full version of a variant, without the name of its output."""
    settings = [f"{name}={_word(value)}" for name, value in given.set] + ([words] if words else [])
    said = [
        "python",
        "-m",
        "erosion_addon",
        "erode",
        str(given.input),
        "OUTPUT.exr",
        "--recipe",
        (given.recipe or RECIPE),
    ]
    said += ["--seed", str(seed), *(["--set", *settings] if settings else [])]
    for option in ("cell_size", "edges", "surface_color", "sand"):
        value = getattr(given, option)
        if value is not None:
            said += [f"--{option.replace('_', '-')}", *([str(value)] if value else [])]  # --sand may have no value
    said += ["--smooth-steps"] if given.smooth_steps else []
    said += ["--height-range", *map(str, given.height_range)] if given.height_range else []
    said += ["--size", "{}x{}".format(*given.size)] if given.size else []
    said += ["--mask", *(f"{kind}={path}" for kind, path in given.mask)] if given.mask else []
    return shlex.join(said)
