# SPDX-License-Identifier: GPL-3.0-or-later
"""Every option of every command with words that no artist means: a sentence before the work, or the
work begins.
"""

import argparse
import functools
import io

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.base.errors import InputError
from erosion_addon.cli import analyze, arguments, commands, landscape, rivers, runs, variants
from tests.cli.commandline import listing

LONG = "x" * 100_000
WORDS = {
    **{
        text: text
        for text in (
            "nan",
            "inf",
            "-inf",
            "-1",
            "0",
            "1e308",
            "-1e308",
            "-1e3",
            "-.5",
            "1e-320",
            "1_0",
        )
    },
    **{
        text: text
        for text in (
            "{}",
            "[]",
            "null",
            "{name.__class__}",
            "{x:99999999d}",
            "{0!r:>99999999}",
            "%s%n",
        )
    },
    **{
        text: text
        for text in ("0x0", "999999999x999999999", "-", "--", "=", "a=", "=b", "x.y=1", "x.y=1e999")
    },
    "a number of 400 digits": "1" + "0" * 400,
    "a number of 5000 digits": "1" * 5000,
    "nothing": "",
    "a space": " ",
    "a long word": LONG,
    "a long name": "x" * 300,
    "a long setting": f"x.y={LONG}",
    "a deep setting": "x.y=" + "[" * 5000,
    "control characters": "\x1b[2J\u202e\n",
    "a zero byte": "a\0b",
    "half a character": "\ud800",
    "digits of another script": "\u0663\uff11",
}
LINES = {
    "erode": "erode dem.npy out.npy",
    "resume": "resume run.npz out.npy",
    "make": "make cone out.npy --size 16x16",
    "convert": "convert dem.npy out.exr",
    "analyze": "analyze dem.npy",
    "rivers": "rivers dem.npy out.csv",
    "variants": "variants dem.npy folder",
    "render": "render a.blend b.png",
    "recipes": "recipes arcane",
    "landscape make": "landscape make land cone --size 64x64",
    "landscape erode": "landscape erode made",
    "landscape tasks": "landscape tasks made",
    "landscape task": "landscape task made 0",
    "landscape analyze": "landscape analyze made",
    "landscape check": "landscape check made",
    "landscape export": "landscape export made out.r16",
    "landscape preview": "landscape preview made out.png",
}
"""A line of each command that works."""


class WorkError(Exception):
    """The work would begin."""


def begin(*_, **__):
    raise WorkError


PARSER = functools.cache(arguments.parser)


def actions(parser=None, words=""):
    """(command, argument) of the command line."""
    for action in (parser or PARSER("erosion"))._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                yield from actions(inner, f"{words} {name}".strip())
        elif action.nargs != 0:
            yield words, action


def lines(command, action, word):
    """Lines of a command in which a word takes the place of each of an argument's."""
    line = LINES[command].split()
    count = action.nargs if isinstance(action.nargs, int) else 1
    for place in range(count):
        words = ["1"] * count
        words[place] = word
        if action.option_strings:
            yield [*line, action.option_strings[0], *words]
        else:
            others = [
                other for named, other in actions() if named == command and not other.option_strings
            ]
            at = len(command.split()) + others.index(action)
            yield [*line[:at], *words, *line[at + 1 :]]


def arguments_of(command):
    return [action for named, action in actions() if named == command]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Working folder with what the lines name."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        heights = np.add.outer(np.arange(24.0), np.arange(32.0) ** 1.5)
        np.save("dem.npy", heights)
        next(iter(simulate(Terrain(heights, 1.0), Recipe.load("arcane")))).checkpoint.save(
            "run.npz"
        )
        assert (
            commands.main(
                ["landscape", "make", "made", "cone", "--size", "64x64", "--tile", "64", "--quiet"]
            )
            == 0
        )
        yield folder


@pytest.fixture
def stopped(monkeypatch, folder):
    """Commands that stop where the work would begin."""
    monkeypatch.setattr(commands, "parser", PARSER)
    for module, name in (
        (runs, "watched"),
        (variants, "watched"),
        (rivers, "water_of"),
        (analyze.analysis, "analyze"),
        (commands, "encode_heightmap"),
        (landscape, "cluster"),
        (landscape, "erode"),
        (landscape, "prepare"),
        (landscape, "do_one"),
        (landscape.make, "make"),
        (landscape.analyze, "analyze"),
        (landscape.export, "picture"),
        (landscape.export, "close_up"),
        (landscape.export, "encode_heightmap"),
    ):
        monkeypatch.setattr(module, name, begin)
    monkeypatch.setattr("erosion_addon.files.export.encode_heightmap", begin)


def ended(line, monkeypatch):
    """Exit code and lines on standard error; 0 where the work would begin."""
    said = io.StringIO()
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", said)
        patch.setattr("sys.stdout", io.StringIO())
        code = commands.main(line)
    text = said.getvalue()
    return (0, "") if text.rstrip().endswith("WorkError") else (code, text)


def test_each_command_has_a_line_that_begins_to_work(stopped, monkeypatch):
    commands_there = {command for command, _ in actions()}
    assert commands_there - {""} == LINES.keys()
    for command, line in LINES.items():
        assert ended(line.split(), monkeypatch)[0] == (2 if command == "render" else 0), command


@pytest.mark.slow
@pytest.mark.parametrize("command", LINES)
def test_no_word_leads_to_anything_but_the_work_or_a_sentence(
    stopped, folder, monkeypatch, command
):
    before = listing(folder)
    for action in arguments_of(command):
        for word in WORDS.values():
            for line in lines(command, action, word):
                code, text = ended(line, monkeypatch)
                where = [part[:50] for part in line]
                assert code == 0 or (code == 2 and text.endswith(".\n")), (where, text[-2000:])
                assert code == 0 or (text[:-1].isprintable() and len(text) < 1200), (where, text)
    assert {name: there for name, there in listing(folder).items() if name in before} == before


@pytest.mark.parametrize(
    ("words", "low"),
    [
        ("-1e3 5", -1000.0),
        ("-.5 5", -0.5),
        ("-1E-3 5", -0.001),
        ("-1.5e+3 -2", -1500.0),
        ("-2 5", -2.0),
    ],
)
def test_a_negative_number_is_a_number_in_any_form(words, low):
    given = PARSER("erosion").parse_args(
        f"convert a.npy b.png --height-range {words} --flip".split()
    )
    assert given.height_range[0] == low and given.flip


@pytest.mark.parametrize("word", ["-x", "-e3", "-", "--5", "-infinite"])
def test_an_option_that_is_unknown_is_no_number(word):
    with pytest.raises(InputError, match="height-range"):
        PARSER("erosion").parse_args(["convert", "a.npy", "b.png", "--height-range", word, "5"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            "erode dem.npy out.npy --checkpoint c.npz --time-limit nan",
            "--time-limit: 'nan' is not a number",
        ),
        (
            "erode dem.npy out.npy --checkpoint c.npz --time-limit inf",
            "--time-limit: 'inf' is not a number",
        ),
        (
            "landscape erode made --time-limit -1",
            "--time-limit: a time limit is from 0 to 1e+09, not -1",
        ),
        (
            "erode dem.npy out.npy --checkpoint-every 1e10",
            "a time is more than 0 and at most 1e+09, not 1e10",
        ),
        (
            "convert dem.npy out.png --height-range -1e308 1e308",
            "a number is from -1e+12 to 1e+12, not -1e308",
        ),
        (
            "variants dem.npy folder --side 99999999999",
            "there are at most 2147483647, not 99999999999",
        ),
        (
            "landscape make land cone --size 0x64",
            "'0x64' is not two whole numbers such as 512x1024",
        ),
        ("landscape make land cone --size 999999999x64", "A landscape has from 64 to 1048576 rows"),
        (
            "landscape export made out.r16 --names {x:9999999999d}_{y}",
            "names no tiles; a pattern such as",
        ),
        ("landscape export made out.r16 --names {x.real}_{y}", "names no tiles; a pattern such as"),
        ("landscape export made no/out.r16", "no/out_x0_y0.r16 cannot be written: the folder"),
        ("landscape export made out.jpg", "its name must end in"),
        (
            "landscape erode made --report out.txt",
            "out.txt cannot be written: its name must end in .json",
        ),
        (
            "landscape analyze made --report no/out.json",
            "no/out.json cannot be written: the folder",
        ),
    ],
)
def test_the_sentence_says_what_is_wrong_before_the_work(stopped, monkeypatch, words, sentence):
    code, text = ended(words.split(), monkeypatch)
    assert code == 2 and sentence in text


def test_numbers_of_tiles_may_have_a_width_in_the_names_of_files(folder, capsys):
    words = "landscape export made out.r16 --side 33 --names tile_{y:03d}_{x:02} --quiet"
    assert commands.main(words.split()) == 0
    names = capsys.readouterr().out.split()
    assert names[:2] == ["tile_001_00.r16", "tile_001_01.r16"] and "tile_000_01.r16" in names
    for name in names:
        (folder / name).unlink()
