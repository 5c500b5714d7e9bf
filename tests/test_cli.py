# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line as the contract has it: words, files, exit codes, streams, and what it refuses."""

import hashlib
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli import main
from erosion_addon.model import FIELDS, Recipe, Terrain, erode
from erosion_addon.model.heightmap import encode_heightmap, read_heightmap
from erosion_addon.model.image_files import OpenImageIOFiles
from erosion_addon.model.sources import make
from erosion_addon.terminal import ProgressLine, say
from tests.terrains import fractal

ROOT = Path(__file__).resolve().parent.parent
IMAGES = OpenImageIOFiles()
FEW = ("--set", "droplet.drops_per_cell=0.5")
DROPLET_MAPS = {"elevation", "sediment", "flow", "moisture", "wear", "deposition"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with a small terrain dem.npy in it."""
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", make("fractal", 24, 32, seed=5, values={"relief": 12.0}).elevation)
    return tmp_path


def listing(folder):
    """Every path below `folder` with the hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def run(*words, **environment):
    """`python -m erosion_addon` in the current folder."""
    return subprocess.run(
        [sys.executable, "-m", "erosion_addon", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        capture_output=True, check=False,
    )  # fmt: skip


def png(rows, cols, pixels=b"", bits=16):
    """A grey PNG that claims rows x cols and holds the given bytes, each row after a filter byte 0."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", cols, rows, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


# --- what it does -----------------------------------------------------------------------------------------------------


def test_the_command_of_the_manual_does_the_same_twice_and_keeps_the_mass(folder):
    for number in "12":
        words = ["erode", "dem.npy", f"out{number}.npy", "--recipe", "arcane", "--seed", "1", "--edges", "closed"]
        done = run(*words, "--maps", f"maps{number}", "--report", f"r{number}.json")
        assert done.returncode == 0, done.stderr
    reports = [json.loads((folder / f"r{number}.json").read_text()) for number in "12"]
    assert reports[0]["sha256"] == reports[1]["sha256"]
    assert (folder / "out1.npy").read_bytes() == (folder / "out2.npy").read_bytes()
    assert set(reports[0]["sha256"]) == DROPLET_MAPS
    for name in DROPLET_MAPS:
        first, second = (IMAGES.read(Path(f"maps{number}/{name}.exr")) for number in "12")
        assert first.tobytes() == second.tobytes()
    mass = reports[0]["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]


def test_it_drives_the_same_simulation_as_python(folder):
    assert main(["erode", "dem.npy", "out.npy", "--seed", "3", "--cell-size", "10", "--edges", "wrap", *FEW]) == 0
    recipe = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.5})
    expected = erode(Terrain(np.load("dem.npy"), 10.0), recipe, seed=3, edges="wrap")
    assert np.load("out.npy").tobytes() == expected.elevation.tobytes()


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_the_report_has_the_keys_of_the_contract_and_its_mass_adds_up(folder, edges):
    assert main(["erode", "dem.npy", "out.npy", "--edges", edges, "--report", "r.json", *FEW]) == 0
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    assert set(report) - {"finished", "notes"} == {
        "recipe", "seed", "version", "grid", "edges", "steps", "mass", "sha256", "peak_memory_bytes", "seconds",
    }  # fmt: skip
    assert report["grid"] == {"rows": 24, "cols": 32, "cell_size": 1.0}
    assert (report["recipe"], report["seed"], report["edges"]) == ("arcane", 0, edges)
    assert set(report["steps"][0]) == {
        "kind", "seconds", "drops", "drops_per_second", "mean_path", "paths_cut", "random_directions",
    }  # fmt: skip
    assert report["steps"][0]["drops"] == 24 * 32 // 2
    mass = report["mass"]
    assert set(mass) == {"before", "added", "exported", "after", "moved", "error"}
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    assert mass["before"] + mass["added"] - mass["exported"] == pytest.approx(mass["after"], rel=1e-12)
    assert (mass["exported"] > 0) == (edges == "open")
    elevation = np.load("out.npy").astype("<f8")
    assert report["sha256"]["elevation"] == hashlib.sha256(elevation.tobytes()).hexdigest()


def test_maps_are_every_field_as_float32_exr(folder):
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", *FEW]) == 0
    assert {path.name for path in (folder / "maps").iterdir()} == {f"{name}.exr" for name in DROPLET_MAPS}
    assert np.array_equal(IMAGES.read(Path("maps/elevation.exr")), np.load("out.npy").astype(np.float32))
    assert (folder / "maps/wear.exr").read_bytes()[:4] == b"\x76\x2f\x31\x01"


def test_a_field_of_several_components_is_a_map_for_each(folder, monkeypatch):
    vectors = np.arange(24 * 32 * 2, dtype=np.float32).reshape(24, 32, 2)
    fields = {"velocity": vectors, "surface_color": np.zeros((24, 32, 3))}
    result = Terrain(np.load("dem.npy"), fields=fields)
    progress = type("Progress", (), {"terrain": result, "fraction": 1.0})()
    monkeypatch.setattr("erosion_addon.cli.simulate", lambda *_, **__: iter([progress]))
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", "--quiet"]) == 0
    names = {"elevation", "velocity_x", "velocity_y", "surface_color_red", "surface_color_green", "surface_color_blue"}
    assert {path.stem for path in (folder / "maps").iterdir()} == names
    assert np.array_equal(IMAGES.read(Path("maps/velocity_y.exr")), vectors[..., 1])


@pytest.mark.parametrize("suffix", [".npy", ".exr", ".tif", ".r32", ".TIFF"])
def test_float_files_go_in_and_out_the_right_way_up(folder, suffix):
    elevation = np.load("dem.npy")
    encode_heightmap(Path(f"in{suffix}"), elevation, IMAGES)
    words = ["erode", f"in{suffix}", f"out{suffix}", "--size", "24x32", "--set", "droplet.drops_per_cell=0"]
    assert main(words) == 0
    assert np.array_equal(read_heightmap(f"out{suffix}", IMAGES, size=(24, 32)), elevation.astype(np.float32))


@pytest.mark.parametrize("suffix", [".png", ".r16"])
def test_sixteen_bit_files_hold_the_height_range(folder, suffix, capsys):
    assert main(["erode", "dem.npy", f"a{suffix}", "--height-range", "-10", "20", "--quiet", *FEW]) == 0
    words = ["erode", f"a{suffix}", "b.npy", "--height-range", "-10", "20", "--size", "24x32"]
    assert main([*words, "--set", "droplet.drops_per_cell=0"]) == 0
    assert main(["erode", "dem.npy", "c.npy", *FEW]) == 0
    # Half a step of 30 m / 65535
    assert np.abs(np.load("b.npy") - np.load("c.npy")).max() <= 30 / 65535 / 2 * 1.001


def test_what_the_shades_mean_and_what_is_cut_off_is_said(folder, capsys):
    assert main(["erode", "dem.npy", "out.png", *FEW]) == 0
    assert re.search(r"In out\.png black is \S+ m and white \S+ m\.", capsys.readouterr().err)
    assert main(["erode", "dem.npy", "out.png", "--height-range", "0", "3", *FEW]) == 0
    error = capsys.readouterr().err
    assert re.search(r"\d+ cells lay outside the height range", error) and "black" not in error


def test_eight_bit_input_is_recognised(folder, capsys):
    (folder / "in.png").write_bytes(png(8, 8, (b"\0" + bytes(range(8))) * 8, bits=8))
    assert main(["erode", "in.png", "out.npy", "--height-range", "0", "255", *FEW]) == 0
    assert "in.png has 8 bits" in capsys.readouterr().err


def test_input_may_be_output(folder):
    before = np.load("dem.npy")
    assert main(["erode", "dem.npy", "dem.npy", *FEW]) == 0
    assert not np.array_equal(np.load("dem.npy"), before)
    assert list(listing(folder)) == ["dem.npy"]


def test_masks_come_from_files_and_are_resampled_with_a_note(folder, capsys):
    strength = np.zeros((24, 32), np.float32)
    np.save("strength.npy", strength)
    assert main(["erode", "dem.npy", "out.npy", "--mask", "strength=strength.npy", *FEW]) == 0
    assert np.array_equal(np.load("out.npy"), np.load("dem.npy"))
    # White of an integer image is 1: all hard.
    (folder / "hard.png").write_bytes(png(12, 16, (b"\0" + b"\xff\xff" * 16) * 12))
    words = ["--mask", "hardness=hard.png", "rain=strength2.npy", *FEW]
    np.save("strength2.npy", strength + 7)
    capsys.readouterr()
    assert main(["erode", "dem.npy", "out.npy", *words]) == 0
    assert np.array_equal(np.load("out.npy"), np.load("dem.npy"))
    assert "The hardness mask was resampled from 12 × 16 to 24 × 32." in capsys.readouterr().err


def test_a_start_layer_of_sediment_is_metres(folder):
    np.save("sediment.npy", np.full((24, 32), 2.5, np.float32))
    words = ["erode", "dem.npy", "out.npy", "--mask", "sediment=sediment.npy", "--maps", "maps"]
    assert main([*words, "--set", "droplet.drops_per_cell=0"]) == 0
    assert (IMAGES.read(Path("maps/sediment.exr")) == 2.5).all()


def test_set_takes_values_as_toml_and_bare_words(folder):
    sets = ["droplet.erosion_footprint=bilinear", 'droplet.slope="sine"', "1.capacity=4", "droplet.gravity=1e1"]
    springs = "droplet.springs=[[0.5, 0.5, 1]]"
    assert main(["erode", "dem.npy", "a.npy", "--set", *sets, "--set", springs, *FEW]) == 0
    values = {
        "droplet.erosion_footprint": "bilinear", "droplet.slope": "sine", "droplet.capacity": 4,
        "droplet.gravity": 10.0, "droplet.springs": [[0.5, 0.5, 1]], "droplet.drops_per_cell": 0.5,
    }  # fmt: skip
    expected = erode(Terrain(np.load("dem.npy")), Recipe.load("arcane").with_values(values))
    assert np.array_equal(np.load("a.npy"), expected.elevation)


def test_a_recipe_file_gives_seed_and_edges_that_options_replace(folder):
    (folder / "own é.toml").write_text('name = "own"\nseed = 9\nedges = "wrap"\n[[step]]\nkind = "droplet"\n')
    assert main(["erode", "dem.npy", "a.npy", "--recipe", "own é.toml", "--report", "a.json"]) == 0
    words = ["--recipe", "own é.toml", "--seed", "4", "--edges", "closed", "--report", "b.json", "--threads", "2"]
    assert main(["erode", "dem.npy", "b.npy", *words]) == 0
    reports = [json.loads((folder / name).read_text()) for name in ("a.json", "b.json")]
    assert [(report["seed"], report["edges"]) for report in reports] == [(9, "wrap"), (4, "closed")]


def test_make_writes_the_terrain_of_its_seed(folder, capsys):
    words = ["make", "pyramid", "p.npy", "--size", "20x30", "--cell-size", "5", "--seed", "2", "--set", "steps=3"]
    assert main(words) == 0
    assert np.array_equal(np.load("p.npy"), make("pyramid", 20, 30, 5.0, 2, {"steps": 3}).elevation)
    assert capsys.readouterr().out == "p.npy\n"


# --- what it says -----------------------------------------------------------------------------------------------------


def test_standard_output_has_nothing_but_the_files_written(folder, capsys):
    assert main(["erode", "dem.npy", "out.npy", "--report", "r.json", *FEW]) == 0
    out, err = capsys.readouterr()
    assert out == "out.npy\nr.json\n"
    assert "Droplets, step 1 of 1: 100 %" in err and "384 drops" in err
    assert "\r" not in err


def test_quiet_says_nothing_on_standard_error(folder, capsys):
    np.save("rain.npy", np.ones((5, 5)))
    assert main(["erode", "dem.npy", "out.png", "--mask", "rain=rain.npy", "--quiet", *FEW]) == 0
    assert capsys.readouterr().err == ""


def test_recipes_lists_and_prints_toml_that_loads_again(folder, capsys):
    assert main(["recipes"]) == 0
    assert re.search(r"^arcane +The original rain", capsys.readouterr().out, re.MULTILINE)
    assert main(["recipes", "arcane"]) == 0
    assert Recipe.parse(capsys.readouterr().out, "printed") == Recipe.load("arcane")


def test_a_printed_recipe_is_toml_in_any_encoding(folder):
    (folder / "own.toml").write_text('name = "Höhe 山 😀"\n[[step]]\nkind = "droplet"\n', encoding="utf-8")
    for encoding in ("ascii", "cp1252", "utf-8"):
        done = run("recipes", "own.toml", PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        assert Recipe.parse(done.stdout.decode("utf-8"), "printed").name == "Höhe 山 😀"


def test_fields_lists_the_table(folder, capsys):
    assert main(["fields"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == ["name", *FIELDS]


@pytest.mark.parametrize("words", [["--help"], ["erode", "--help"], ["make", "--help"]])
def test_help_is_no_failure(words, capsys):
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert out.startswith("usage: terrain-erosion") and err == ""


def test_help_lists_every_parameter_of_every_process(capsys):
    main(["erode", "--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in Recipe.load("arcane").steps[0].parameters.to_dict())


class Terminal(io.TextIOWrapper):
    """A terminal with some encoding, whose bytes can be looked at."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="")

    def isatty(self):
        return True

    def written(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@pytest.mark.parametrize(("encoding", "full"), [("utf-8", "█"), ("ascii", "#"), ("cp1252", "#")])
def test_a_terminal_sees_a_bar_in_letters_that_it_has(folder, monkeypatch, encoding, full):
    terminal = Terminal(encoding)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["erode", "dem.npy", "out.npy", *FEW]) == 0
    lines = terminal.written().split("\r")
    assert any(line.startswith(f"Droplets, step 1 of 1 {full * 24} 100 %") for line in lines)
    assert lines[-2].strip() == ""  # the bar is taken away
    assert lines[-1].startswith("arcane, seed 0, 24 ")


def test_time_left_is_what_the_rest_will_take(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    line = ProgressLine()
    for fraction, seconds in [(0.05, 3), (0.1, 6), (0.11, 7), (0.35, 5000), (0.9, 5400), (1.0, 6000)]:
        now[0] = seconds
        line.show(type("Progress", (), {"fraction": fraction, "message": "Step"})())
    assert capsys.readouterr().err.splitlines() == [
        "Step:  10 %, 54 s left",
        "Step:  35 %, 2 h 34 min left",
        "Step:  90 %, 10 min 0 s left",
        "Step: 100 %, 1 h 40 min",
    ]


def test_text_that_cannot_be_encoded_is_escaped(capsys):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    say("5 × 4 \udcff", stream)
    stream.flush()
    assert stream.buffer.getvalue().rstrip() == rb"5 \xd7 4 \udcff"


def test_an_ascii_pipe_is_no_failure(folder):
    Path("dém.npy").write_bytes(Path("dem.npy").read_bytes())
    done = run("erode", "dém.npy", "öut.npy", *FEW, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip() == rb"\xf6ut.npy"
    assert Path("öut.npy").exists()


@pytest.mark.parametrize("language", ["de_DE.UTF-8", "tr_TR.UTF-8"])
def test_comma_decimal_and_turkish_locales_change_nothing(folder, language):
    import locale

    usual = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, language)
    except locale.Error:
        pytest.skip(f"{language} is not installed")
    try:
        assert main(["erode", "dem.npy", "OUTI.NPY", "--cell-size", "1.5", "--report", "r.json", *FEW]) == 0
        assert json.loads((folder / "r.json").read_text())["grid"]["cell_size"] == 1.5
    finally:
        locale.setlocale(locale.LC_ALL, usual)


# --- what it refuses --------------------------------------------------------------------------------------------------

BAD_FILES = {
    "empty.npy": b"",
    "garbage.npy": b"not an array",
    "garbage.exr": b"\x76\x2f\x31\x01garbage",
    "garbage.tif": b"II*\0\xff\xff\xff\xff",
    "dem.txt": b"1 2 3",
    "odd.r16": b"\0" * 34,
    "grey.png": png(8, 8, (b"\0" + b"\1\0" * 8) * 8),
    "huge.png": png(160_000, 179_000),
    "broken.toml": b"name = ",
    "latin.toml": b'name = "\xff"',
    "large.toml": b"#" * 10_000_000,
    "typo.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacty = 3\n',
    "type.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacity = "much"\n',
    "nan.toml": b'name = "x"\n[[step]]\nkind = "droplet"\ncapacity = nan\n',
    "kind.toml": b'name = "x"\n[[step]]\nkind = "lava"\n',
    "deep.toml": b"a = " + b"[" * 20_000,
    "off.toml": b'name = "x"\n[[step]]\nkind = "droplet"\nenabled = false\n',
}


@pytest.fixture
def bad_files(folder):
    for name, content in BAD_FILES.items():
        (folder / name).write_bytes(content)
    elevation = np.load("dem.npy")
    elevation[3, 4] = np.nan
    np.save("nan.npy", elevation)
    np.save("inf.npy", np.full((8, 8), np.inf))
    np.save("line.npy", np.zeros(9))
    np.save("thin.npy", np.zeros((1, 9)))
    np.save("tiny.npy", np.zeros((2, 2)))
    np.save("whole.npy", np.zeros((8, 8), np.int32))
    np.save("pickled.npy", np.array([[{}] * 3] * 3), allow_pickle=True)
    np.save("minus.npy", np.full((24, 32), -0.5))
    np.save("two.npy", np.full((24, 32), 2.0))
    np.save("zero.npy", np.zeros((24, 32)))
    (folder / "folder.npy").mkdir()
    (folder / "file").write_bytes(b"")
    return folder


OK = ("erode", "dem.npy", "out.npy")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        # usage
        ((), "required: COMMAND"),
        (("melt",), "invalid choice: 'melt'"),
        (("erode",), "required: INPUT, OUTPUT"),
        (("erode", "dem.npy"), "required: OUTPUT"),
        ((*OK, "more.npy"), "Unrecognized arguments: more.npy"),
        ((*OK, "--sead", "1"), "Unrecognized arguments: --sead 1"),
        ((*OK, "--rec", "arcane"), "Unrecognized arguments"),
        ((*OK, "--seed"), "--seed: expected one argument"),
        ((*OK, "--seed", "x"), "--seed: 'x' is not a whole number"),
        ((*OK, "--seed", "1.5"), "--seed: '1.5' is not a whole number"),
        ((*OK, "--seed", "-1"), "seed must be a whole number from 0 to"),
        ((*OK, "--seed", "9" * 5000), "is not a whole number"),
        ((*OK, "--threads", "0"), "at least 1, not"),
        ((*OK, "--threads", "all"), "'all' is not a whole number"),
        ((*OK, "--cell-size", "1,5"), "'1,5' is not a number such as 0.5"),
        ((*OK, "--cell-size", "0"), "cell size must be"),
        ((*OK, "--cell-size", "-3"), "cell size must be"),
        ((*OK, "--cell-size", "nan"), "cell size must be"),
        ((*OK, "--cell-size", "inf"), "cell size must be"),
        ((*OK, "--edges", "steep"), "edges must be one of open, closed, wrap, not 'steep'"),
        ((*OK, "--height-range", "1"), "expected 2 arguments"),
        ((*OK, "--height-range", "9", "3"), "from a lower to a higher"),
        ((*OK, "--height-range", "nan", "3"), "from a lower to a higher"),
        ((*OK, "--size", "8"), "is not two whole numbers"),
        ((*OK, "--size", "-8x8"), "--size"),
        ((*OK, "--size", "8x8"), "dem.npy is 24 × 32, not 8 × 8"),
        # settings
        ((*OK, "--set", "droplet.capacity"), "is not NAME=VALUE"),
        (("erode", "--set", "droplet.capacity=1", "dem.npy", "out.npy"), "put the files before the options"),
        ((*OK, "--set", "capacity=1"), "names no parameter of a step"),
        ((*OK, "--set", "lava.capacity=1"), "the steps are 1.droplet"),
        ((*OK, "--set", "droplet.capacty=1"), "capacty is not a parameter here; there are"),
        ((*OK, "--set", "droplet.capacity=lots"), "capacity must be from 0 to 1000, not 'lots'"),
        ((*OK, "--set", "droplet.capacity=-1"), "capacity must be from 0 to 1000, not -1"),
        ((*OK, "--set", "droplet.capacity=nan"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=true"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=1\nb=2"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=2026-01-01"), "capacity must be"),
        ((*OK, "--set", "droplet.capacity=" + "[" * 20000), "capacity must be"),
        ((*OK, "--set", "droplet.slope=cosine"), "slope must be one of tangent, sine"),
        ((*OK, "--set", "droplet.springs=[[0.5, 0.5]]"), "springs must be a list of"),
        ((*OK, "--set", "droplet.springs={x=1}"), "springs must be a list of"),
        ((*OK, "--set", "droplet.springs=[[2, 0.5, 1]]"), "outside the terrain"),
        # recipes
        ((*OK, "--recipe", "nowhere"), "no recipe 'nowhere'; there are"),
        ((*OK, "--recipe", "../presets/arcane"), "no recipe"),
        ((*OK, "--recipe", "missing.toml"), "recipe missing.toml cannot be read"),
        ((*OK, "--recipe", "broken.toml"), "broken.toml is not valid TOML"),
        ((*OK, "--recipe", "latin.toml"), "latin.toml is not a text in UTF-8"),
        ((*OK, "--recipe", "large.toml"), "large.toml is larger than 64 KB"),
        ((*OK, "--recipe", "typo.toml"), "typo.toml: step 1 (droplet): capacty is not a parameter"),
        ((*OK, "--recipe", "type.toml"), "type.toml: step 1 (droplet): capacity must be from 0 to 1000"),
        ((*OK, "--recipe", "nan.toml"), "nan.toml: step 1 (droplet): capacity must be from 0 to 1000, not nan"),
        ((*OK, "--recipe", "kind.toml"), "kind must be one of droplet"),
        ((*OK, "--recipe", "deep.toml"), "deep.toml is"),
        ((*OK, "--recipe", "off.toml"), "steps of the recipe x are switched off"),
        (("recipes", "nowhere"), "no recipe 'nowhere'; there are"),
        (("recipes", "broken.toml"), "broken.toml is not valid TOML"),
        # input
        (("erode", "missing.npy", "out.npy"), "missing.npy"),
        (("erode", "a\0b.npy", "out.npy"), "b.npy"),
        (("erode", "\udcff.npy", "out.npy"), ".npy"),
        (("erode", "folder.npy", "out.npy"), "folder.npy"),
        (("erode", "empty.npy", "out.npy"), "empty.npy"),
        (("erode", "garbage.npy", "out.npy"), "garbage.npy is not a .npy file"),
        (("erode", "garbage.exr", "out.npy"), "garbage.exr"),
        (("erode", "garbage.tif", "out.npy"), "garbage.tif"),
        (("erode", "dem.txt", "out.npy"), "dem.txt is not a kind of file that holds heights"),
        (("erode", "dem", "out.npy"), "dem is not a kind of file"),
        (("erode", "odd.r16", "out.npy", "--height-range", "0", "1"), "is not a square of 16-bit"),
        (("erode", "grey.png", "out.npy"), "give the height range"),
        (("erode", "huge.png", "out.npy", "--height-range", "0", "1"), "huge.png"),
        (("erode", "nan.npy", "out.npy"), "the first at row 3, column 4"),
        (("erode", "inf.npy", "out.npy"), "not numbers"),
        (("erode", "line.npy", "out.npy"), "1 dimensions"),
        (("erode", "thin.npy", "out.npy"), "1 × 9"),
        (("erode", "tiny.npy", "out.npy"), "2 × 2"),
        (("erode", "whole.npy", "out.npy"), "int32"),
        (("erode", "pickled.npy", "out.npy"), "object"),
        # masks
        ((*OK, "--mask", "strength"), "is not NAME=VALUE"),
        ((*OK, "--mask", "fog=zero.npy"), "no mask 'fog'; there are strength, hardness, rain, sediment"),
        ((*OK, "--mask", "rain=missing.npy"), "missing.npy"),
        ((*OK, "--mask", "rain=nan.npy"), "nan.npy has 1 cells that are not numbers"),
        ((*OK, "--mask", "strength=two.npy"), "strength mask (where erosion may act"),
        ((*OK, "--mask", "sediment=minus.npy"), "at row 0, column 0 it is -0.5"),
        ((*OK, "--mask", "rain=zero.npy"), "rain mask is zero everywhere"),
        # outputs
        (("erode", "dem.npy", "out"), "its name must end in .npy or"),
        (("erode", "dem.npy", "out.jpg"), "its name must end in .npy or"),
        (("erode", "dem.npy", "folder.npy"), "folder.npy cannot be written: it is a folder"),
        (("erode", "dem.npy", "nowhere/out.npy"), "nowhere/out.npy cannot be written: the folder"),
        (("erode", "dem.npy", "file/out.npy"), "cannot be written"),
        (("erode", "dem.npy", "x" * 300 + ".npy"), "cannot be written: File name too long"),
        (("erode", "dem.npy", "a\0b.npy"), "cannot be written"),
        ((*OK, "--report", "r.txt"), "r.txt cannot be written: its name must end in .json"),
        ((*OK, "--report", "nowhere/r.json"), "nowhere/r.json cannot be written: the folder"),
        ((*OK, "--maps", "file"), "file cannot be a folder: it is a file"),
        ((*OK, "--maps", "nowhere/maps"), "nowhere/maps cannot be written: the folder"),
        (("erode", "dem.npy", "./wear.exr", "--maps", "."), "wear.exr would be written twice"),
        (("erode", "dem.npy", "m.npy", "--maps", "m.npy"), "m.npy would be written twice"),
        # start terrains
        (("make", "fractal", "out.npy"), "required: --size"),
        (("make", "volcano", "out.npy", "--size", "8x8"), "no start terrain 'volcano'; there are fractal"),
        (("make", "fractal", "out.npy", "--size", "8"), "is not two whole numbers such as 512x1024"),
        (("make", "fractal", "out.npy", "--size", "2x8"), "from 3 to 65536"),
        (("make", "fractal", "out.npy", "--size", "999999999x999999999"), "from 3 to 65536"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--seed", "-1"), "seed must be"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--cell-size", "0"), "cell size"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--set", "roughness=2"), "roughness must be from 0 to 1"),
        (("make", "fractal", "out.npy", "--size", "8x8", "--set", "height=2"), "height is not a parameter here"),
        (("make", "fractal", "out.jpg", "--size", "8x8"), "its name must end in"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_sentence_and_nothing_is_written(bad_files, capsys, words, sentence):
    before = listing(bad_files)
    assert main(list(words)) == 2
    out, err = capsys.readouterr()
    lines = [line for line in err.splitlines() if not line.startswith(("Droplets, step", "grey.png has"))]
    assert len(lines) == 1 and lines[0].endswith(".") and len(lines[0]) < 1000, err
    assert sentence.replace("/", os.sep) in lines[0].replace("/", os.sep)
    assert out == ""
    assert listing(bad_files) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="every folder can be written to here")
def test_a_read_only_folder_is_refused_before_the_work(folder, capsys):
    (folder / "locked").mkdir(mode=0o500)
    assert main(["erode", "dem.npy", "locked/out.npy"]) == 2
    assert "locked/out.npy cannot be written: Permission denied." in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="Linux has a folder that nobody can write to")
def test_an_unwritable_folder_is_refused_before_anything_is_read(folder, capsys):
    assert main(["erode", "missing.npy", "/proc/out.npy"]) == 2
    assert "/proc/out.npy cannot be written: " in capsys.readouterr().err


# --- what may go wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writes", [0, 1, 2, 5, 6])
@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), MemoryError(), KeyboardInterrupt()])
def test_a_fault_at_any_written_file_leaves_all_files_as_they_were(folder, monkeypatch, capsys, writes, fault):
    main(["erode", "dem.npy", "out.npy", "--maps", "old", *FEW])
    before, count = listing(folder), [0]

    def failing(path, *rest):
        if count[0] == writes:
            Path(path).write_bytes(b"half")
            raise fault
        count[0] += 1
        return encode_heightmap(path, *rest)

    monkeypatch.setattr("erosion_addon.cli.encode_heightmap", failing)
    for maps in ("old", "new"):
        count[0] = 0
        code = main(["erode", "dem.npy", "out.npy", "--maps", maps, "--report", "r.json", "--seed", "8", *FEW])
        assert code == (130 if isinstance(fault, KeyboardInterrupt) else 2)
        error = capsys.readouterr().err
        assert ".erosion-" not in error and "Traceback" not in error
        assert listing(folder) == before


def test_the_sentence_about_a_full_disk_names_the_file(folder, monkeypatch, capsys):
    def save(stream, *_, **__):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    before = listing(folder)
    monkeypatch.setattr("erosion_addon.model.heightmap.np.save", save)
    assert main(["erode", "dem.npy", "out.npy", "--quiet", *FEW]) == 2
    assert capsys.readouterr().err == f"{folder / 'out.npy'} cannot be written: No space left on device.\n"
    assert listing(folder) == before


def test_an_interrupt_while_files_are_moved_waits_for_the_last_one(folder, monkeypatch):
    replace = Path.replace

    def interrupted(source, target):
        if target.name in ("elevation.exr", "out.npy"):
            signal.raise_signal(signal.SIGINT)
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", *FEW]) == 0
    assert {"out.npy", *(str(Path("maps", f"{name}.exr")) for name in DROPLET_MAPS)} < set(listing(folder))


def test_no_memory_is_told_before_the_run_with_numbers(folder, monkeypatch, capsys):
    # Enough to read 24 x 32 cells at 17 bytes, too little to erode them at 124.
    monkeypatch.setattr("erosion_addon.model.memory.available_memory", lambda: 30_000)
    assert main(["erode", "dem.npy", "out.npy"]) == 2
    assert re.fullmatch(r"Eroding 24 × 32 cells needs about .* are free; .*\.\n", capsys.readouterr().err)


def test_no_memory_in_the_run_is_told_and_survived(folder, monkeypatch, capsys):
    def simulate(*_, **__):
        raise MemoryError

    monkeypatch.setattr("erosion_addon.cli.simulate", simulate)
    assert main(["erode", "dem.npy", "out.npy"]) == 2
    assert capsys.readouterr().err == ("There was not enough memory; use a smaller terrain or close other programs.\n")


def test_our_own_fault_is_exit_code_one_with_a_traceback(folder, monkeypatch, capsys):
    def simulate(*_, **__):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("erosion_addon.cli.simulate", simulate)
    before = listing(folder)
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Traceback") and "\nZeroDivisionError: ours" in error
    assert listing(folder) == before


@pytest.mark.skipif(os.name == "nt", reason="a test cannot press Ctrl-C on Windows")
def test_ctrl_c_in_the_run_ends_it_at_once_and_nothing_is_written(folder):
    import pty

    np.save("dem.npy", make("fractal", 256, 256).elevation)
    before = listing(folder)
    controller, terminal = pty.openpty()
    words = ["erode", "dem.npy", "out.npy", "--maps", "maps", "--report", "r.json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "erosion_addon", *words, "--set", "droplet.drops_per_cell=1000"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "ascii"},
        stdout=subprocess.PIPE, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    try:
        seen = b""
        while b"left" not in seen:
            seen += os.read(controller, 1000)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        seconds = time.monotonic() - began
        seen += os.read(controller, 100_000)
    finally:
        process.kill()
        process.wait()
        os.close(controller)
    assert process.returncode == 130
    assert seen.rstrip().endswith(b"\rInterrupted; nothing was written.") and b"Traceback" not in seen
    assert b"-" * 23 in seen  # the bar, in ASCII
    assert out == b""
    assert seconds < 1.5  # a chunk is 0.1 s; the rest is Python's own shutdown on a busy machine
    assert listing(folder) == before


def test_a_run_that_a_time_limit_ends_goes_on_to_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("in.npy", fractal(32, 40, relief=200.0))
    words = ["erode", "in.npy", "--set", "droplet.drops_per_cell=400", "--seed", "4", "--quiet"]
    assert main([*words[:2], "whole.npy", *words[2:]]) == 0
    limit = ["--checkpoint", "run.npz", "--time-limit", "0"]
    assert main([*words[:2], "part.npy", *words[2:], *limit]) == 0
    assert not Path("part.npy").exists()
    assert main(["resume", "run.npz", "part.npy", "--quiet", *limit]) == 0  # a limit again: one more chunk
    assert not Path("part.npy").exists()
    assert main(["resume", "run.npz", "part.npy", "--quiet"]) == 0
    assert Path("part.npy").read_bytes() == Path("whole.npy").read_bytes()
