# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of the command line: streams and encodings."""

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.cli.terminal.output import as_json, note, print_line
from erosion_addon.cli.terminal.progress import ProgressLine, RunProgress, ShareProgress
from erosion_addon.recipe.recipe import Recipe
from tests.cli.commandline import FEW, ROOT, run


def test_standard_output_has_nothing_but_the_files_written(folder, capsys):
    assert main(["erode", "dem.npy", "out.npy", "--report", "r.json", *FEW]) == 0
    out, err = capsys.readouterr()
    assert out == "out.npy\nr.json\n"
    assert "Carve gullies, step 1 of 1: 100 %" in err and "384 drops" in err
    assert "\r" not in err


def test_quiet_says_nothing_on_standard_error(folder, capsys):
    np.save("rain.npy", np.ones((5, 5)))
    assert main(["erode", "dem.npy", "out.png", "--mask", "rain=rain.npy", "--quiet", *FEW]) == 0
    assert capsys.readouterr().err == ""


class Terminal(io.TextIOWrapper):
    """A terminal with some encoding, whose bytes can be looked at."""

    def __init__(self, encoding):
        super().__init__(io.BytesIO(), encoding=encoding, errors="strict", newline="")

    def isatty(self):
        return True

    def written(self):
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


EVIL = "\x1b]0;owned\x07\u202e\x9b2J\u2028"
"""What a stranger may call things: the title of the terminal, the direction of a text, a clear
screen, a new line.
"""


@pytest.fixture
def evil(folder, monkeypatch):
    """A stranger's recipe, also among the user's own, as evil.toml."""
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in EVIL)
    step = f'[[step]]\nkind = "droplet"\ndrops_per_cell = 0.5\nname = "step {escaped[:-6]}"\n'
    text = f'name = "land {escaped}"\ndescription = "two\\nlines {escaped}"\n{step}'
    (folder / "evil.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("TERRAIN_EROSION_RECIPES", str(folder))
    return folder / "evil.toml"


def is_plain(text):
    """Whether lines have no control characters."""
    return all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    ("words", "code", "lines"),
    [
        (["erode", "dem.npy", "out.npy", "--recipe", "evil.toml"], 0, 1),
        (["erode", "dem.npy", "out.npy", "--recipe", "evil.toml", "--sand"], 2, 0),
        (["erode", "dem.npy", "out.npy", "--recipe", "evil.toml", "--progress", "json"], 0, 1),
        (["erode", f"{EVIL}.npy", "out.npy"], 2, 0),
        (["erode", "dem.npy", f"no/{EVIL}.npy"], 2, 0),
        (["erode", "dem.npy", "out.npy", "--edges", EVIL], 2, 0),
        (["erode", "dem.npy", "out.npy", f"--{EVIL}"], 2, 0),
        (["erode", "dem.npy", "out.npy", "--mask", f"{EVIL}=dem.npy"], 2, 0),
        (["erode", "dem.npy", "out.npy", "--set", f"droplet.{EVIL}=1"], 2, 0),
        ([EVIL], 2, 0),
        (["recipes", EVIL], 2, 0),
        (["recipes", "evil.toml"], 0, None),
        (["recipes"], 0, None),
        (["convert", "dem.npy", "a\n\x1b[2Jb.exr"], 0, 2),
        (["analyze", "dem.npy", "--plot", "a\n\x1b[2Jb.svg"], 0, None),
        (["landscape", "make", f"a{EVIL}", "fractal", "--size", "64x64"], 0, 1),
        (["landscape", "check", EVIL], 2, 0),
    ],
)
def test_a_strangers_names_send_nothing_to_the_terminal_but_letters(
    evil, capsys, words, code, lines
):
    assert main(words) == code
    out, err = capsys.readouterr()
    assert is_plain(out) and is_plain(err), (out, err)
    assert lines is None or out.count("\n") == lines
    assert code == 0 or (err.count("\n") == 1 and err.endswith(".\n"))


def test_a_strangers_recipe_is_listed_in_one_line_and_printed_as_it_is(evil, capsys):
    assert main(["recipes"]) == 0
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("evil")]
    assert "two\\nlines \\x1b]0;owned\\x07" in line
    assert main(["recipes", "evil.toml"]) == 0
    assert Recipe.parse(capsys.readouterr().out, "printed") == Recipe.load(evil)


def test_the_bar_of_a_strangers_recipe_is_plain(evil, monkeypatch):
    terminal = Terminal("utf-8")
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["erode", "dem.npy", "out.npy", "--recipe", "evil.toml"]) == 0
    seen = terminal.written()
    assert r"step \x1b]0;owned\x07" in seen and is_plain(seen.replace("\r", ""))


def test_events_with_any_names_are_json(capsys):
    with as_json(True):
        note(f"a\x7f{EVIL}")
    line = capsys.readouterr().err.removesuffix("\n")
    assert line.isprintable() and json.loads(line)["text"].startswith("a\x7f\x1b]0;")


@pytest.mark.parametrize(("encoding", "full"), [("utf-8", "█"), ("ascii", "#"), ("cp1252", "#")])
def test_a_terminal_sees_a_bar_in_letters_that_it_has(folder, monkeypatch, encoding, full):
    terminal = Terminal(encoding)
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["erode", "dem.npy", "out.npy", *FEW]) == 0
    lines = terminal.written().split("\r")
    assert any(line.startswith(f"Carve gullies, step 1 of 1 {full * 24} 100 %") for line in lines)
    assert lines[-2].strip() == ""  # the bar is taken away
    assert lines[-1].startswith("arcane, seed 0, 24 ")


@pytest.fixture
def now(monkeypatch):
    """Time in seconds on all clocks, as a list that the test changes."""
    seconds = [0.0]
    for clock in ("monotonic", "perf_counter"):
        monkeypatch.setattr(time, clock, lambda: seconds[0])
    return seconds


def at(fraction):
    """Progress of a recipe of one step."""
    words = {"message": "Step", "step": "droplet", "work": (0.0, "")}
    return SimpleNamespace(fraction=fraction, number=0, done=fraction, estimates=[1.0], **words)


def test_time_left_is_what_the_rest_will_take(now, capsys):
    shown = RunProgress(ProgressLine())
    shown.begin()
    for fraction, seconds in [
        (0.0, 0),
        (0.1, 6),
        (0.11, 7),
        (0.35, 5000),
        (0.9, 5400),
        (1.0, 6000),
    ]:
        now[0] = seconds
        shown.show(at(fraction))
    assert capsys.readouterr().err.splitlines() == [
        "Step:  10 %, 54 s left",
        "Step:  35 %, 2 h 34 min left",
        "Step:  90 %, 10 min 0 s left",
        "Step: 100 %, 1 h 40 min",
    ]


def test_time_left_of_several_runs_counts_those_to_come(now, capsys):
    """The second of four begins at 10 s and has done half at 15 s: 5 s more, and two of 10 s each.
    One is there.
    """
    shown = RunProgress(ProgressLine(), 8.0)
    for name, begun in [("a", 0.0), ("b", 10.0)]:
        shown.begin(2.0, name)
        for fraction in (0.0, 0.5, 1.0):
            now[0] = begun + 10.0 * fraction
            shown.show(at(fraction))
    shown.skip(2.0, "c")
    shown.begin(2.0, "d")
    for fraction in (0.0, 1.0):
        now[0] = 20.0 + 10.0 * fraction
        shown.show(at(fraction))
    assert capsys.readouterr().err.splitlines() == [
        "a, Step:  12 %, 35 s left",
        "a, Step:  25 %, 30 s left",
        "b, Step:  38 %, 25 s left",
        "b, Step:  50 %, 20 s left",
        "c, there already:  67 %",
        "d, Step: 100 %, 30 s",
    ]


def test_what_an_earlier_run_has_done_took_no_time(now, capsys):
    """Half was done before; a quarter takes 30 s, and so does the last one."""
    progress = ShareProgress(ProgressLine())
    for now[0], fraction in [(0.0, 0.5), (30.0, 0.75), (60.0, 1.0)]:
        progress.show(fraction, "tile")
    assert capsys.readouterr().err.splitlines() == [
        "tile:  50 %",
        "tile:  75 %, 30 s left",
        "tile: 100 %, 1 min 0 s",
    ]


def test_a_note_takes_the_bar_away(monkeypatch):
    terminal = Terminal("ascii")
    monkeypatch.setattr(sys, "stderr", terminal)
    line = ProgressLine()
    line.show(0.5, "Step")
    note("The disk is nearly full.")
    line.show(0.5, "Step")
    note("Done.")
    bar = f"Step {'#' * 12}{'-' * 12}  50 %"
    seen = terminal.written().split("\r")
    assert [text.strip() for text in seen] == [
        "",
        bar,
        "",
        "The disk is nearly full.",
        bar,
        "",
        "Done.",
    ]
    assert len(seen[2]) == len(seen[5]) == len(bar)


def test_programs_hear_of_each_text_at_once_and_of_the_same_once_a_second(now, capsys):
    line = ProgressLine()
    with as_json(True):
        for now[0], fraction, text in [
            (0.0, 0.1, "a"),
            (0.9, 0.2, "a"),
            (1.0, 0.3, "a"),
            (1.1, 0.4, "b"),
            (1.2, 1.0, "b"),
        ]:
            line.show(fraction, text, 2.04)
    told = [json.loads(told) for told in capsys.readouterr().err.splitlines()]
    assert [(event["fraction"], event["seconds"], event["seconds_left"]) for event in told] == [
        (0.1, 0.0, 2.0),
        (0.3, 1.0, 2.0),
        (0.4, 1.1, 2.0),
        (1.0, 1.2, 2.0),
    ]


def test_text_that_cannot_be_encoded_is_escaped(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    print_line("5 × 4 \udcff")
    assert stream.buffer.getvalue().rstrip() == rb"5 \xd7 4 \udcff"


@pytest.mark.worker
@pytest.mark.parametrize("name", ["typing", "argparse", "numpy", "numba", "OpenImageIO"])
def test_modules_in_the_current_folder_are_not_run(folder, name):
    """It may have come from a stranger, with a heightmap."""
    (folder / f"{name}.py").write_text("raise SystemExit(9)")
    assert run("make", "voronoi", "out.exr", "--size", "8x8", "--quiet").returncode == 0


@pytest.mark.worker
def test_an_ascii_pipe_is_no_failure(folder):
    Path("dém.npy").write_bytes(Path("dem.npy").read_bytes())
    done = run("erode", "dém.npy", "öut.npy", *FEW, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip() == rb"\xf6ut.npy"
    assert Path("öut.npy").exists()


@pytest.mark.parametrize("terminal", [False, True])
def test_the_first_run_says_how_far_it_has_compiled(folder, monkeypatch, now, terminal):
    """On a terminal by the bar, elsewhere by a line; the time that it took is that of the
    simulation.
    """
    stream = Terminal("utf-8") if terminal else io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    line = ProgressLine()
    for now[0], fraction in [(1.0, 0.0), (5.0, 0.5), (10.0, 0.75)]:
        line.show_compiling(fraction, "Compiling for this recipe (once), step 1 of 1")
    now[0] = 20.0
    line.show(1.0, "Step")
    stream.flush()
    lines = stream.buffer.getvalue().decode().replace("\n", "\r").split("\r")
    said = [text.rstrip() for text in lines if text.strip()]
    message = "Compiling for this recipe (once), step 1 of 1"
    bar = f"{message} {'█' * 12}{'░' * 12}  50 %"
    assert said[:-1] == ([*said[:1], bar, *said[2:3]] if terminal else [message])
    assert said[-1] == (f"Step {'█' * 24} 100 %, 10 s" if terminal else "Step: 100 %, 10 s")


@pytest.mark.worker
@pytest.mark.skipif(
    os.name == "nt", reason="a shell's redirections, and a device that is always full"
)
@pytest.mark.parametrize(
    ("words", "redirected", "code", "said"),
    [
        ("recipes", "| head -1", 0, ""),
        (
            "recipes",
            "> /dev/full",
            2,
            "Standard output cannot be written: No space left on device.",
        ),
        ("recipes", ">&-", 2, "Standard output cannot be written: it is closed."),
        ("erode --help", "| head -1", 0, ""),
        ("make cone a.exr --size 16x16", "| true", 0, ""),
        (
            "make cone a.exr --size 16x16",
            "> /dev/full",
            0,
            "The files are written, but not their names.",
        ),
        ("make cone a.exr --size 16x16", ">&-", 0, "The files are written, but not their names."),
        ("make cone a.exr --size 16x16", "2> /dev/full", 0, ""),
        ("make cone a.exr --size 16x16", "2>&-", 0, ""),
        ("make nothing a.exr --size 16x16", "2> /dev/full", 2, ""),
    ],
)
def test_what_cannot_be_said_harms_nothing_that_is_done(folder, words, redirected, code, said):
    command = f'"{sys.executable}" -m erosion_addon {words} {redirected}; exit ${{PIPESTATUS[0]}}'
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", command], env=environment, capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr.count("\n")) == (code, bool(said)), done.stderr
    assert said in done.stderr
    assert (folder / "a.exr").exists() == words.startswith("make cone")


@pytest.mark.skipif(os.name == "nt", reason="a device that is always full")
def test_a_run_goes_on_when_nobody_hears_of_its_progress(folder, monkeypatch):
    for stream in (None, open("/dev/full", "w")):  # noqa: PTH123, SIM115
        monkeypatch.setattr(sys, "stderr", stream)
        assert main(["erode", "dem.npy", "out.npy", *FEW]) == 0
