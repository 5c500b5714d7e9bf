# SPDX-License-Identifier: GPL-3.0-or-later
"""Folder of a landscape: windows over tiles, manifest, damaged files, lock."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.base.lock import locked
from erosion_addon.cli.commands import main
from erosion_addon.files.heightmap import encode_heightmap
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters.tiff_writer import Tags
from erosion_addon.generators import registry
from erosion_addon.landscape import make as makers
from erosion_addon.landscape import tasks
from erosion_addon.landscape.erode import Alone, erode
from erosion_addon.landscape.storage import folder, manifest, pyramid
from erosion_addon.landscape.storage.folder import Landscape, Window
from erosion_addon.landscape.storage.manifest import NAME, Manifest
from erosion_addon.landscape.storage.spread import clamped, means, spread
from erosion_addon.landscape.window import overview, put_back, take
from erosion_addon.recipe.recipe import Recipe
from tests.geotiff import alps
from tests.landscape.conftest import fractal
from tests.terrains import windows_of


def test_tiles_hold_what_the_generator_makes_as_a_whole(landscape):
    whole = registry.make("fractal", 160, 240, 20.0, 3, {"relief": 900.0}).elevation.astype(
        np.float32
    )
    np.testing.assert_array_equal(landscape.read("start/elevation", landscape.whole), whole)


@pytest.mark.parametrize("shape", [(100, 130), (97, 64), (300, 65)])
def test_a_window_over_any_tiles_is_that_of_the_whole(tmp_path, shape):
    heights = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    made = makers.make(tmp_path, Manifest(*shape, 64, (1.0, 1.0), "numbers"), windows_of(heights))
    covered = np.zeros(shape, int)
    for tile in made.tiles():
        covered[made.window(tile).within(made.whole)] += 1
    assert (covered == 1).all()
    for top, left in ((0, 0), (30, 20), (shape[0] - 41, shape[1] - 33)):
        window = Window(top, top + 41, left, left + 33)
        np.testing.assert_array_equal(
            made.read("start/elevation", window), heights[window.within(made.whole)]
        )


def test_detail_beyond_the_generator_knows_nothing_of_tiles(tmp_path, monkeypatch):
    """Above the size that is generated at once finer octaves go on, the same in any tiles; the
    shape stays.
    """
    monkeypatch.setattr(makers, "LARGEST_WHOLE", 64)
    one = fractal(tmp_path / "a", 64)
    other = fractal(tmp_path / "b", 160)
    heights = one.read("start/elevation", one.whole)
    np.testing.assert_array_equal(heights, other.read("start/elevation", one.whole))
    base = registry.make("fractal", 40, 60, 80.0, 3, {"relief": 900.0}).elevation
    coarse, rough = means(one, "start/elevation", 4)
    assert np.corrcoef(coarse.ravel(), base.ravel())[0, 1] > 0.99
    finest = heights[::2, ::2] - 0.5 * (heights[1::2, ::2] + heights[::2, 1::2])
    assert 0.1 < finest.std() < rough.mean()


@pytest.mark.parametrize("factor", [1, 2, 3, 7])
def test_spreading_keeps_the_sum_and_knows_nothing_of_windows(factor):
    coarse = np.random.default_rng(1).normal(size=(6, 9))
    rows = 6 * factor
    cols = 9 * factor
    fine = spread(clamped(coarse), factor, Window(0, rows, 0, cols))
    assert fine.sum() == pytest.approx(coarse.sum() * factor * factor, abs=1e-9)
    np.testing.assert_allclose(
        spread(clamped(np.ones((6, 9))), factor, Window(0, rows, 0, cols)), 1, atol=1e-15
    )
    part = Window(rows // 3, rows, 1, cols - 1)
    np.testing.assert_array_equal(
        spread(clamped(coarse), factor, part), fine[rows // 3 :, 1 : cols - 1]
    )


def test_means_over_tiles_are_those_of_the_whole(landscape):
    heights = landscape.read("start/elevation", landscape.whole)
    blocks = heights.reshape(40, 4, 60, 4)
    mean, deviation = means(landscape, "start/elevation", 4)
    np.testing.assert_allclose(mean, blocks.mean(axis=(1, 3)), rtol=1e-12)
    np.testing.assert_allclose(deviation, blocks.std(axis=(1, 3)), rtol=1e-9)


def test_damaged_and_missing_tiles_are_named(landscape):
    assert landscape.faults() == {}
    path = landscape.folder / "start" / "elevation" / "x1_y0.npy"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    (landscape.folder / "start" / "elevation" / "x2_y1.npy").unlink()
    faults = landscape.faults()["start/elevation"]
    assert [fault.rpartition(os.sep)[2] for fault in faults] == [
        "x1_y0.npy is damaged",
        "x2_y1.npy is missing",
    ]
    path.write_bytes(b"not an array")
    with pytest.raises(InputError, match=r"x1_y0\.npy is damaged"):
        landscape.read("start/elevation", landscape.whole)


def _set(**values):
    return lambda table: table.update(values)


EMPTY = Recipe.load("arcane").to_dict()


@pytest.mark.parametrize(
    "change",
    [
        _set(format=9),
        _set(rows=-1),
        _set(rows=2.5),
        _set(rows="many"),
        _set(cols=1 << 40),
        _set(tile=1),
        _set(rows=1 << 20, cols=1 << 20),  # 160 million tiles
        _set(rows=(1 << 20) + 1, tile=8192),
        _set(rows=512 * 64, cols=512 * 64 + 1, tile=64),  # a column of tiles too many
        _set(spacing=[0, 1]),
        _set(spacing=["a", "b"]),
        _set(spacing=None),
        _set(layers={"../../etc": {}}),
        _set(layers={"start/elevation": {"x0_y0": "abc"}}),
        _set(layers={"start/elevation": {"x0_y0": 64 * "a", "x1_y0": "abc"}}),
        _set(layers=[]),
        _set(
            erosion={
                "recipe": {"step": [{"kind": "no such"}]},
                "seed": 1,
                "edges": "open",
                "coarse": 9,
                "halo": 1,
            }
        ),
        _set(erosion={"recipe": EMPTY, "seed": 1, "edges": "open", "coarse": 9.5, "halo": 1}),
        _set(erosion=5),
        _set(source=5),
        _set(place=5),
        _set(place="somewhere"),
        _set(place=alps().to_text()),  # of other rows and columns
        _set(more=5),
        lambda table: table.pop("rows"),
        lambda table: table.clear(),
    ],
)
def test_a_damaged_manifest_is_refused_in_a_sentence(landscape, change):
    path = landscape.folder / NAME
    table = json.loads(path.read_text())
    change(table)
    path.write_text(json.dumps(table))
    with pytest.raises(InputError) as refusal:
        Landscape(landscape.folder)
    assert str(path) in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"format": 1}', "\x00", "[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path, text):
    (tmp_path / NAME).write_text(text)
    with pytest.raises(InputError, match="is damaged"):
        Landscape(tmp_path)


def test_a_manifest_that_cannot_be_read_is_named(landscape, monkeypatch):
    monkeypatch.setattr(
        manifest, "open_regular", lambda _: (_ for _ in ()).throw(OSError(5, "Input/output error"))
    )
    with pytest.raises(InputError, match=r"landscape\.json cannot be read: Input/output error"):
        Landscape(landscape.folder)


def test_a_folder_without_a_landscape_says_how_to_make_one(tmp_path):
    with pytest.raises(InputError, match="Make one with landscape make"):
        Landscape(tmp_path / "none")


def test_two_commands_never_change_one_landscape(landscape):
    with locked(landscape.folder):
        with (
            pytest.raises(InputError, match=f"process {os.getpid()} on .*wait until it is done"),
            locked(landscape.folder),
        ):
            pass
        with pytest.raises(InputError, match="is being changed"):
            fractal(landscape.folder.parent / "land") if not (
                landscape.folder / NAME
            ).unlink() else None
    with locked(landscape.folder):
        pass


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be asked there whether it runs")
def test_the_lock_of_a_process_that_was_killed_is_taken_over(landscape):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    with locked(landscape.folder):
        held = json.loads((landscape.folder / "lock").read_text())
    (landscape.folder / "lock").write_text(json.dumps({**held, "pid": int(gone.stdout)}))
    with locked(landscape.folder):
        assert json.loads((landscape.folder / "lock").read_text())["pid"] == os.getpid()
    (landscape.folder / "lock").write_text(
        json.dumps({**held, "pid": int(gone.stdout), "host": "another machine"})
    )
    with pytest.raises(InputError, match="another machine"), locked(landscape.folder):
        pass


def test_a_landscape_takes_nobodys_place(landscape):
    with pytest.raises(InputError, match="holds a landscape already"):
        fractal(landscape.folder)


def test_leftovers_are_removed_in_a_landscapes_own_folders_alone(tmp_path):
    name = ".erosion-0123456789abcdef.npy"
    others = [tmp_path / "photos" / name, tmp_path / "photos" / "elevation" / name]
    own = [tmp_path / name, tmp_path / "start" / "elevation" / name, tmp_path / "pyramid" / name]
    for path in (*others, *own):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    landscape = makers.make(
        tmp_path, Manifest(64, 64, 64, (1.0, 1.0), "flat"), windows_of(np.zeros((64, 64)))
    )
    assert all(path.exists() for path in others)
    assert not any(path.exists() for path in own)
    parts = {path.name for path in landscape.folder.iterdir() if path.is_dir()} - {"photos"}
    assert parts <= set(folder.PARTS)


def test_heights_that_are_no_numbers_leave_no_landscape(tmp_path):
    heights = np.zeros((100, 100))
    heights[70, 30] = np.nan
    with pytest.raises(InputError, match="x0_y1"):
        makers.make(
            tmp_path / "land", Manifest(100, 100, 64, (1.0, 1.0), "holes"), windows_of(heights)
        )
    assert not (tmp_path / "land" / NAME).exists()


@pytest.mark.parametrize("layer", ["start/elevation", "elevation"])
def test_a_landscape_that_was_renamed_gets_no_second_folder_in_its_old_place(landscape, layer):
    moved = landscape.folder.rename(landscape.folder.with_name("moved"))
    tile = landscape.tiles()[0]
    with pytest.raises(InputError, match="cannot be written: "):
        landscape.write(layer, tile, np.zeros(landscape.window(tile).shape))
    assert not landscape.folder.exists() and not Landscape(moved).faults()


def test_a_landscape_that_is_renamed_while_it_is_eroded_gets_no_second_folder(
    landscape, recipe, monkeypatch
):
    """The step of the whole has read all tiles when it is about to write."""
    moved = landscape.folder.with_name("moved")

    def renamed(root, *words, write=tasks.write_arrays):
        if root.exists():
            root.rename(moved)
        return write(root, *words)

    monkeypatch.setattr(tasks, "write_arrays", renamed)
    with pytest.raises(InputError):
        erode(landscape.folder, recipe, Alone(1), coarse=80)
    assert not landscape.folder.exists() and not Landscape(moved).faults()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_private_tiles_stay_private_when_a_window_is_written_back(landscape):
    files = [landscape.folder / NAME, *(landscape.folder / "start").rglob("*.npy")]
    for path in files:
        path.chmod(0o600)
    before = [path.read_bytes() for path in files]
    window = Window(0, 100, 0, 100)
    terrain, state = take(landscape, window)
    put_back(landscape.folder, window, state, terrain.elevation + 70.0)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert [path.read_bytes() for path in files] != before


@pytest.mark.parametrize("shape", [(160, 240), (131, 257)])
def test_levels_of_the_pyramid_are_means_of_the_tiles_and_those_of_other_tiles_are_not_used(
    tmp_path, shape
):
    landscape = fractal(tmp_path / "land", 80, shape)

    def exact(found, factor):
        padded = np.full([-(-side // factor) * factor for side in shape], np.nan)
        padded[: shape[0], : shape[1]] = found.read("start/elevation", found.whole)
        rows, cols = (side // factor for side in padded.shape)
        return np.nanmean(padded.reshape(rows, factor, cols, factor), axis=(1, 3))

    def kept(found):
        return {
            path.stem: np.load(path) for path in (found.folder / pyramid.FOLDER).glob("*/*.npy")
        }

    assert {f"x{factor}" for factor in pyramid.factors(landscape)} == set(kept(landscape)) >= {"x2"}
    window = Window(33, 99, 50, 131)
    terrain, state = take(landscape, window)
    put_back(landscape.folder, window, state, terrain.elevation + 70.0)
    for found in (landscape, changed := Landscape(landscape.folder)):
        for factor in pyramid.factors(found):
            level = pyramid.level(found, "start/elevation", factor)
            np.testing.assert_allclose(level, exact(found, factor), atol=1e-3)
    for name, values in kept(changed).items():  # there are no others
        np.testing.assert_allclose(values, exact(changed, int(name[1:])), atol=1e-3)
    file = next((changed.folder / pyramid.FOLDER).glob("*/x2.npy"))
    np.save(file, np.load(file) + 1000.0)
    assert overview(changed, max(shape) - 1).elevation.mean() > 1000.0  # it is what is read
    file.write_bytes(b"damaged")
    np.testing.assert_allclose(
        overview(changed, max(shape) - 1).elevation, exact(changed, 2), atol=1e-3
    )


@pytest.mark.parametrize("suffix", [".npy", ".tif", ".png"])
def test_a_mask_is_cut_into_tiles_as_its_file_has_it(tmp_path, suffix):
    mask = np.linspace(0.0, 1.0, 96 * 128).reshape(96, 128)
    file = tmp_path / f"my mask{suffix}"
    encode_heightmap(file, mask, OpenImageIOFiles(), (0.0, 1.0), "f4", Tags((1.0, 1.0)))
    words = [
        "landscape",
        "make",
        str(tmp_path / "land"),
        "fractal",
        "--size",
        "96x128",
        "--tile",
        "64",
    ]
    assert main([*words, "--mask", f"hardness={file}"]) == 0
    land = Landscape(tmp_path / "land")
    assert np.abs(land.read("mask/hardness", land.whole) - mask).max() < 1e-5


@pytest.mark.parametrize(
    ("mask", "size", "sentence"),
    [
        ("rain=mask.npy", "96x128", "no mask 'rain' for landscapes"),
        ("plot=mask.npy", "64x64", "has 96 × 128 cells, and the landscape 64 × 64"),
        ("plot=high.npy", "96x128", "values outside 0 to 1, or that are not numbers"),
    ],
)
def test_masks_that_do_not_fit_leave_no_landscape(
    tmp_path, monkeypatch, capsys, mask, size, sentence
):
    monkeypatch.chdir(tmp_path)
    np.save("mask.npy", np.zeros((96, 128), np.float32))
    np.save("high.npy", np.full((96, 128), 1.5, np.float32))
    assert (
        main(
            ["landscape", "make", "land", "fractal", "--size", size, "--tile", "64", "--mask", mask]
        )
        == 2
    )
    assert sentence in capsys.readouterr().err and not Path("land/landscape.json").exists()


@pytest.mark.parametrize(
    ("names", "options"),
    [
        ("{name}_y{y}_x{x}", []),
        ("{name}_x{x:02}_y{y:02}", ["--bottom-first"]),
        ("{x}-{y}", ["--engine", "unity"]),
    ],
)
def test_tiles_of_other_programs_come_back_as_they_were_exported(tmp_path, names, options):
    landscape = fractal(tmp_path / "land", 64, (129, 193))
    out = tmp_path / "tiles" / "land.r32"
    out.parent.mkdir()
    command = [
        "landscape",
        "export",
        str(landscape.folder),
        str(out),
        "--side",
        "65",
        "--names",
        names,
        *options,
    ]
    assert main(command, OpenImageIOFiles()) == 0 and len(list(out.parent.glob("*.r32"))) == 6
    pattern = names.format(name="land", x="{x}", y="{y}") if ":" not in names else "land_x{x}_y{y}"
    given = [
        "--shared-borders",
        "--cell-size",
        "20",
        "--tile",
        "64",
        *(["--bottom-first"] if options else []),
    ]
    command = [
        "landscape",
        "make",
        str(tmp_path / "again"),
        str(out.with_name(f"{pattern}.r32")),
        *given,
    ]
    assert main(command, OpenImageIOFiles()) == 0
    assert Landscape(tmp_path / "again").manifest.layers == landscape.manifest.layers


def test_the_side_file_of_an_export_holds_its_scale(tmp_path):
    landscape = fractal(tmp_path / "land", 64, (129, 193))
    command = [
        "landscape",
        "export",
        str(landscape.folder),
        str(tmp_path / "out.r16"),
        "--side",
        "65",
        "--quiet",
    ]
    assert main(command) == 0
    side = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    heights = landscape.read("start/elevation", landscape.whole)
    assert side["height_range"] == pytest.approx([heights.min(), heights.max()])
    assert side["cell_size"] == [20.0, 20.0] and side["size"] == [192 * 20.0, 128 * 20.0]
    # the top left one first
    assert side["files"] == [f"out_x{x}_y{y}.r16" for y in range(2) for x in range(3)]
    assert side["tiles"] == {"rows": 2, "cols": 3, "first": "top left", "borders": "shared"}
    (tmp_path / "out.json").write_text("mine", encoding="utf-8")
    assert main(command) == 0 and (tmp_path / "out.json").read_text(encoding="utf-8") == "mine"


def test_tiles_of_an_export_tell_their_scale_by_its_side_file(tmp_path):
    """One side file for all of them; nothing has to be said again."""
    landscape = fractal(tmp_path / "land", 64, (129, 193))
    command = [
        "landscape",
        "export",
        str(landscape.folder),
        str(tmp_path / "out.r16"),
        "--side",
        "65",
        "--quiet",
    ]
    assert main(command) == 0
    pattern = str(tmp_path / "out_x{x}_y{y}.r16")
    assert (
        main(
            [
                "landscape",
                "make",
                str(tmp_path / "again"),
                pattern,
                "--shared-borders",
                "--tile",
                "64",
            ]
        )
        == 0
    )
    again = Landscape(tmp_path / "again")
    heights = landscape.read("start/elevation", landscape.whole)
    assert again.manifest.spacing == (20.0, 20.0)
    np.testing.assert_allclose(
        again.read("start/elevation", again.whole), heights, atol=np.ptp(heights) / 65535
    )


def test_tiles_that_are_missing_or_of_another_size_are_told(tmp_path):
    for x in range(3):
        np.full((64, 64 + x // 2), x, "<f4").tofile(tmp_path / f"a_{x}_5.r32")
        (tmp_path / f"b_{x}_{x}.r32").write_bytes(b"")
    files = makers.tile_files(tmp_path / "a_{x}_{y}.r32")
    assert [path.name for path in files[0]] == ["a_0_5.r32", "a_1_5.r32", "a_2_5.r32"]
    for name, sentence in (
        ("b_{x}_{y}", r"b_1_0\.r32 is missing"),
        ("c_{x}_{y}", "No file"),
        ("{x}", "names no"),
    ):
        with pytest.raises(InputError, match=sentence):
            makers.tile_files(tmp_path / f"{name}.r32")
    rows = [[tmp_path / "wide", tmp_path / "tall"]]
    shape, read = makers.joined(
        rows, lambda path: ((64, 64) if path.name == "wide" else (65, 64), None), False
    )
    with pytest.raises(
        InputError, match="tall has 65 × 64 cells, and its neighbors leave room for 64 × 64"
    ):
        read(0, 64, 70, 80)
    assert shape == (64, 128)


def test_masks_are_exported_and_shown(tmp_path):
    values = np.linspace(0.0, 0.5, 128 * 128).reshape(128, 128)
    start = windows_of(np.zeros((128, 128)))
    mask = {"hardness": lambda window: windows_of(values)(window)["elevation"]}
    makers.make(tmp_path / "land", Manifest(128, 128, 64, (1.0, 1.0), "flat"), start, masks=mask)
    images = OpenImageIOFiles()
    folder = str(tmp_path / "land")
    out = tmp_path / "seen.png"
    for options in ([], ["--window", "0", "128", "0", "128"]):
        assert (
            main(
                ["landscape", "preview", folder, str(out), "--layer", "hardness", *options], images
            )
            == 0
        )
        np.testing.assert_allclose(images.read(out), values, atol=1e-4)
        out.unlink()
    command = ["landscape", "export", folder, str(out), "--side", "128", "--layer", "hardness"]
    assert main(command, images) == 0
    np.testing.assert_allclose(images.read(tmp_path / "seen_x0_y0.png"), values, atol=1e-4)
