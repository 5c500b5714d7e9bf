# SPDX-License-Identifier: GPL-3.0-or-later
"""Somebody else's folder of a landscape: what is wrong in it is a sentence, and nothing outside of
it is written.
"""

import hashlib
import io
import itertools
import json
import os
import shutil
import stat
import zipfile
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.landscape import inflow
from erosion_addon.landscape.analyze import analyze
from erosion_addon.landscape.erode import Alone, erode, prepare
from erosion_addon.landscape.plan import Plan
from erosion_addon.landscape.storage import arrays
from erosion_addon.landscape.storage.folder import Landscape, Window
from erosion_addon.landscape.storage.manifest import NAME
from erosion_addon.landscape.tasks import WORK, run
from erosion_addon.landscape.window import put_back, take
from tests.landscape.conftest import Ending, EndsError, fractal

WRITTEN = [
    *(
        "work",
        "work/coarse",
        "work/shape_x0_y0",
        "work/finish_x0_y0",
        "work/journal.jsonl",
        "elevation",
    ),
    *(
        "wear/x0_y0.npy",
        "analysis",
        "analysis/basins_x0_y0",
        "slope",
        "slope/x1_y0.npy",
        "pyramid",
        "changes",
    ),
    *(
        "changes/start",
        "changes/start/elevation",
        "landscape.json",
        "start/elevation/x0_y0.npy",
        "start",
    ),
]
"""Places that commands write to."""

TILE = "start/elevation/x1_y0"
posix = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="there are no pipes and links as on POSIX systems"
)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A landscape in 1 x 2 tiles of 64 x 64 cells."""
    return fractal(tmp_path_factory.mktemp("original") / "land", 64, (64, 128)).folder


@pytest.fixture
def folder(original, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(original, tmp_path / "land"))


def change_manifest(folder, change):
    table = json.loads((folder / NAME).read_text())
    change(table)
    (folder / NAME).write_text(json.dumps(table))


def replace_tile(folder, content, tile=TILE):
    """Other bytes in a tile, with their hash in the manifest."""
    (folder / f"{tile}.npy").write_bytes(content)
    layer, _, name = tile.rpartition("/")
    digest = hashlib.sha256(content).hexdigest()
    change_manifest(folder, lambda table: table["layers"][layer].update({name: digest}))


def file_of(array, **how):
    content = io.BytesIO()
    np.save(content, array, **how)
    return content.getvalue()


def heights(value, dtype="<f4"):
    found = np.full((64, 64), 100.0, dtype)
    found[10, 20] = value
    return file_of(found)


def renamed_zip():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("elevation.npy", heights(1.0))
    return content.getvalue()


def header(text):
    line = text.encode() + b" " * (117 - len(text)) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + bytes(64 * 64 * 4)


def commands(folder, out):
    """What an artist may do first with a folder."""
    erosion = ["--recipe", "arcane", "--set", "droplet.drops_per_cell=0.1", "--coarse", "64"]
    return [
        ["check", folder],
        ["preview", folder, out / "seen.png"],
        ["preview", folder, out / "seen.png", "--window", "0", "64", "60", "128"],
        ["export", folder, out / "out.npy"],
        ["analyze", folder],
        ["erode", folder, *erosion],
        ["tasks", folder, *erosion],
        ["task", folder, "coarse"],
    ]


def refusals(folder, out, capsys):
    """Exit codes of the commands, none of which may end in a traceback."""
    codes = []
    for words in commands(folder, out):
        codes.append(main(["landscape", *map(str, words), *["--quiet"][: words[0] != "tasks"]]))
        told = capsys.readouterr()
        assert "Traceback" not in told.err and (codes[-1] == 0 or told.err.strip().endswith("."))
    return codes


@pytest.mark.parametrize(
    "content",
    [
        heights(np.inf),
        heights(-np.inf),
        heights(np.nan),
        heights(2e9),
        heights(-3e38),
        heights(1e300, "<f8"),
        file_of(np.zeros((64, 64), "<i4")),
        file_of(np.zeros((64, 64), ">f4")),
        file_of(np.zeros((64, 64), "<c8")),
        file_of(np.zeros((64, 64), "<f2")),
        file_of(np.zeros((64, 65), "<f4")),
        file_of(np.zeros((64, 64, 1), "<f4")),
        file_of(np.asfortranarray(np.zeros((64, 64), "<f4"))),
        file_of(np.zeros((64, 64), object), allow_pickle=True),
        heights(0.0)[:-1],
        heights(0.0) + b"?",
        renamed_zip(),
        b"",
        b"\x93NUMPY",
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (10000000000000, 64), }"),
        header("{'descr': '<f4', 'fortran_order': False, 'shape': (-64, -64), }"),
        header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (64, 64), }"),
        header("{'descr': '<f4', 'fortran_order': 2, 'shape': (64, 64"),
        header("[" * 100),
    ],
)
def test_tiles_that_are_none_are_refused_where_they_are_read(folder, content):
    """Their hashes are right."""
    replace_tile(folder, content)
    landscape = Landscape(folder)
    assert not landscape.faults()
    with pytest.raises(
        InputError, match=r"x1_y0\.npy (is damaged|is not a tile|has values that are not numbers)"
    ):
        landscape.read("start/elevation", landscape.whole)


@pytest.mark.slow
@pytest.mark.parametrize("content", [heights(np.inf), renamed_zip()])
def test_tiles_that_are_none_are_refused_by_every_command_that_reads_them(
    folder, tmp_path, capsys, content
):
    """`check` compares hashes alone, and `tasks` begins an erosion that the first task ends."""
    replace_tile(folder, content)
    _, *reading, tasks, task = refusals(folder, tmp_path, capsys)
    assert set(reading) == {2} and (tasks, task) == (0, 2)


@pytest.mark.parametrize("value", [-0.25, 1.5, np.nan])
def test_masks_beyond_0_and_1_are_refused(folder, value):
    (folder / "mask" / "hardness").mkdir(parents=True)
    change_manifest(folder, lambda table: table["layers"].update({"mask/hardness": {}}))
    for tile in ("x0_y0", "x1_y0"):
        replace_tile(folder, heights(value), f"mask/hardness/{tile}")
    with pytest.raises(
        InputError, match=r"x0_y0\.npy has values that are not numbers or not from 0 to 1"
    ):
        Landscape(folder).read("mask/hardness", Window(0, 64, 0, 64))


def numbers_in(table, at=()):
    """Places of all numbers in a manifest."""
    if isinstance(table, dict | list):
        for key, value in table.items() if isinstance(table, dict) else enumerate(table):
            yield from numbers_in(value, (*at, key))
    elif type(table) in (int, float):
        yield at


EVIL = [
    "0",
    "-1",
    "9" * 400,
    "1e308",
    "-1e308",
    "1e999",
    "NaN",
    "-Infinity",
    "1e-320",
    "4.5",
    "true",
    '"7"',
    "null",
    "[]",
]


@pytest.mark.slow
@pytest.mark.parametrize("part", [11, pytest.param(1, marks=pytest.mark.thorough)])
def test_no_number_of_a_manifest_leads_to_more_than_a_sentence(
    folder, recipe, tmp_path, capsys, part
):
    """Of an eroded and analyzed landscape: its figures and its report too."""
    few = recipe.with_values({"droplet.drops_per_cell": 0.1, "uplift.years": 2000})
    erode(folder, few, Alone(), coarse=64)
    analyze(folder, Alone())
    table = json.loads((folder / NAME).read_text())
    places = list(numbers_in(table))
    assert {place[0] for place in places} >= {
        "rows",
        "cols",
        "tile",
        "spacing",
        "erosion",
        "report",
        "analysis",
    }
    preview = ["landscape", "preview", str(folder), str(tmp_path / "seen.png"), "--quiet"]
    for place, evil in list(itertools.product(places, EVIL))[::part]:
        changed = json.loads(json.dumps(table))
        parent = changed
        for key in place[:-1]:
            parent = parent[key]
        parent[place[-1]] = "EVIL"
        (folder / NAME).write_text(json.dumps(changed).replace('"EVIL"', evil))
        assert main(preview) in (0, 2)
        if place[0] == "analysis":
            assert main(["landscape", "analyze", str(folder), "--quiet"]) in (0, 2)
        told = capsys.readouterr().err
        assert "Traceback" not in told and told.count("\n") <= 2


@pytest.mark.parametrize(
    "change",
    [
        {"spacing": [1e308, 1e308]},
        {"spacing": [1.0, 100.0]},
        {"spacing": [1e-300, 1e-300]},
        {"layers": {}},
        {"analysis": {"land_area": 10**400}},
        {"report": {"seconds": [1e300]}},
    ],
)
def test_numbers_that_no_landscape_has_are_refused(folder, change):
    change_manifest(folder, lambda table: table.update(change))
    with pytest.raises(InputError, match=r"landscape\.json"):
        Landscape(folder)


@pytest.mark.parametrize(
    "change", [{"coarse": 0}, {"coarse": -5}, {"halo": 0}, {"halo": 9}, {"edges": "wrap"}]
)
def test_an_order_beyond_the_bounds_of_a_plan_is_refused(folder, recipe, change):
    prepare(folder, recipe, coarse=64)
    change_manifest(folder, lambda table: table["erosion"].update(change))
    with pytest.raises(InputError, match=r"landscape\.json: "):
        Landscape(folder)


def begun(folder, recipe, after):
    """An erosion that was ended after some tasks."""
    with pytest.raises(EndsError):
        erode(folder, recipe, Ending(after), coarse=64)
    return folder / WORK


@pytest.fixture(scope="module")
def calm(original, tmp_path_factory):
    """Layers of the landscape eroded in peace, and the recipe."""
    from erosion_addon.recipe.recipe import Recipe

    recipe = Recipe.load("alpine").with_values(
        {"droplet.drops_per_cell": 0.1, "uplift.years": 2000}
    )
    folder = Path(shutil.copytree(original, tmp_path_factory.mktemp("calm") / "land"))
    return erode(folder, recipe, Alone(), coarse=64).manifest.layers, recipe


def test_work_that_another_user_has_begun_is_done_again_and_said(folder, calm, monkeypatch):
    """Its numbers are in order, its hashes and its journal too; but for the seal it would be
    believed.
    """
    layers, recipe = calm
    work = begun(folder, recipe, 1)
    coarse = work / "coarse" / "elevation.npy"
    content = file_of(np.load(coarse) + 50.0)
    old = hashlib.sha256(coarse.read_bytes()).hexdigest()
    coarse.write_bytes(content)
    journal = work / "journal.jsonl"
    journal.write_text(journal.read_text().replace(old, hashlib.sha256(content).hexdigest()))
    notes = []
    assert erode(folder, recipe, Alone(), coarse=64, on_note=notes.append).manifest.layers == layers
    assert len(notes) == 1 and "another user or machine" in notes[0]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["evil", "snow", "velocity"])
def test_files_that_no_journal_lists_are_not_read(folder, calm, name):
    layers, recipe = calm
    work = begun(folder, recipe, 2)
    (work / "shape_x0_y0" / f"{name}.npy").write_bytes(file_of(np.full((64, 72), 5.0, "<f4")))
    (work / "coarse" / f"{name}.npy").mkdir()
    assert erode(folder, recipe, Alone(), coarse=64).manifest.layers == layers


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 1e18, 1e9])
@pytest.mark.parametrize("name", ["upstream", "receiver", "elevation", "means", "roughness"])
def test_coarse_files_of_a_farm_are_checked_where_tasks_read_them(folder, calm, name, value):
    """As if another machine had left them."""
    prepare(folder, calm[1], coarse=64)
    run(str(folder), "coarse")
    path = folder / WORK / "coarse" / f"{name}.npy"
    values = np.load(path)
    values[:] = value
    path.write_bytes(file_of(values))
    if name in ("elevation", "means", "roughness") and abs(value) <= 2e9:
        return  # a land like others
    with pytest.raises(
        InputError,
        match=r"\.npy has values that are not numbers|rivers of the landscape are damaged",
    ):
        run(str(folder), "shape_x0_y0")


def test_coarse_rivers_that_run_in_circles_are_refused(folder, calm):
    prepare(folder, calm[1], coarse=64)
    landscape = Landscape(folder)
    plan = Plan(landscape, landscape.manifest.erosion)
    rows, cols = plan.coarse_shape
    upstream = np.ones((rows, cols))
    receiver = (
        (np.arange(rows * cols) // 2 * 2 + 1 - np.arange(rows * cols) % 2)
        .reshape(rows, cols)
        .astype(float)
    )
    window = plan.window(landscape.tiles()[0])
    with pytest.raises(InputError, match="rivers of the landscape are damaged"):
        inflow.leaving(plan, window, upstream, receiver)


@posix
@pytest.mark.parametrize(
    "place", ["elevation/old.npy", "work/shape_x0_y0/old.npy", "pyramid/old", "elevation/x9_y9.npy"]
)
def test_broken_links_that_nothing_writes_to_are_passed_over(folder, calm, place):
    layers, recipe = calm
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).symlink_to("/nowhere")
    assert erode(folder, recipe, Alone(), coarse=64, on_plan=_room).manifest.layers == layers


def _room(plan):
    from erosion_addon.landscape import estimate

    estimate.require_room(plan)


@posix
@pytest.mark.parametrize("kind", ["pipe", "broken link", "folder", "unlisted", "wrong"])
def test_changes_that_are_none_are_refused_and_nobody_waits(folder, kind, tmp_path, capsys):
    window = Window(0, 64, 0, 64)
    terrain, state = take(Landscape(folder), window)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("erosion_addon.landscape.window.take_places", lambda folder: None)
        put_back(folder, window, state, terrain.elevation + 1.0)
    path = folder / "changes" / "start" / "elevation" / "x0_y0.npy"
    kept = path.read_bytes()
    path.unlink()
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "broken link":
            path.symlink_to("/nowhere")
        case "folder":
            path.mkdir()
        case "unlisted":
            path.with_name("x5_y5.npy").write_bytes(kept)
        case "wrong":
            path.write_bytes(kept[:-1] + b"?")
    assert main(["landscape", "preview", str(folder), str(tmp_path / "seen.png"), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and ("changes" in told) and not (tmp_path / "seen.png").exists()


@pytest.mark.parametrize("harm", [b"damaged", heights(np.inf)])
def test_a_level_of_the_pyramid_that_is_none_is_read_from_the_tiles(folder, harm):
    from erosion_addon.landscape.storage import pyramid

    landscape = Landscape(folder)
    level = pyramid.level(landscape, "start/elevation", 2)
    (file,) = (folder / "pyramid").glob("*/x2.npy")
    file.write_bytes(
        harm if harm == b"damaged" else file_of(np.full(np.load(file).shape, np.inf, "<f4"))
    )
    np.testing.assert_allclose(pyramid.level(landscape, "start/elevation", 2), level, rtol=1e-6)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("command", ["erode", "analyze", "put back"])
@pytest.mark.parametrize("place", WRITTEN)
def test_nothing_is_written_through_a_link_of_somebody_else(folder, calm, tmp_path, place, command):
    """It is refused, or the link is passed over or replaced; what it leads to stays as it was."""
    mine = tmp_path / "mine"
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        shutil.move(path, mine)
    elif path.suffix:
        mine.write_bytes(b"mine")
    else:
        mine.mkdir()
        (mine / "x0_y0.npy").write_bytes(b"mine")
    path.symlink_to(mine)
    before = contents(mine)
    try:
        if command == "erode":
            erode(folder, calm[1], Alone(), coarse=64)
        elif command == "analyze":
            analyze(folder, Alone())
        else:
            window = Window(0, 64, 0, 64)
            terrain, state = take(Landscape(folder), window)
            put_back(folder, window, state, terrain.elevation + 1.0)
    except InputError as refusal:
        assert str(refusal).endswith(".")
    assert contents(mine) == before


def contents(path):
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    return {file: file.read_bytes() for file in files if file.is_file()} | {
        file: None for file in files if file.is_dir()
    }


def test_a_junction_of_windows_is_a_link(tmp_path, monkeypatch):
    """Simulated, as it is a kind of folder there alone."""

    def junction(path, lstat=Path.lstat):
        there = lstat(path)

        class Junction:
            st_mode = stat.S_IFDIR | (there.st_mode & 0o777)
            st_reparse_tag = 0xA0000003

        return Junction if path.name == "work" else there

    (tmp_path / "work").mkdir()
    (tmp_path / "other").mkdir()
    monkeypatch.setattr(Path, "lstat", junction)
    arrays.refuse_links(tmp_path, tmp_path / "other" / "coarse")
    with pytest.raises(InputError, match="work is a link"):
        arrays.refuse_links(tmp_path, tmp_path / "work" / "coarse" / "elevation.npy")
