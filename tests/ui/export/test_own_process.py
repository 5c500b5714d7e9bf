# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command erosion render` in a process of its own, which may end at any place."""

import json
import os
import signal
import sys

import bpy
import pytest

from erosion_addon import ui
from erosion_addon.ui.export import rendering

TELLS = f"import os, pathlib; pathlib.Path(os.environ['{rendering.END}']).write_text('{{}}');"


@pytest.fixture
def blender(monkeypatch):
    """Lets a line of Python stand for the Blender that renders."""

    def stands_in(line):
        # bpy.app cannot be changed; the program and its words come from there and from sys.argv.
        monkeypatch.setattr(
            ui, "bpy", type("", (), {"app": type("", (), {"binary_path": sys.executable})})
        )
        monkeypatch.setattr(sys, "argv", ["blender", "-c", line])

    return stands_in


@pytest.mark.parametrize("line", ["import os; os.abort()", "raise SystemExit(1)", "pass"])
def test_a_blender_that_breaks_off_is_a_sentence_with_the_way_out(blender, capfd, line):
    blender(line)
    assert ui.command_line(["render", "in.blend", "out.png"]) == 2
    assert capfd.readouterr().err.splitlines()[-1] == rendering.SENTENCE
    assert "graphics driver" in rendering.SENTENCE and "--engine cycles" in rendering.SENTENCE


@pytest.mark.parametrize("words", [["--progress", "json"], ["--progress=json"]])
def test_a_blender_that_breaks_off_is_an_event_of_a_render_farm(blender, monkeypatch, capfd, words):
    blender("pass")
    monkeypatch.setattr(sys, "argv", [*sys.argv, *words])
    assert ui.command_line(["render", "in.blend", "out.png", *words]) == 2
    said, end = map(json.loads, capfd.readouterr().err.splitlines())
    assert (said["event"], said["text"]) == ("note", rendering.SENTENCE)
    assert (end["event"], end["code"]) == ("end", 2)


@pytest.mark.parametrize("code", [0, 2])
def test_the_exit_code_is_that_of_the_command_even_if_blender_crashes_after_it(
    blender, capfd, code
):
    blender(TELLS.format(code) + "os.abort()")
    assert ui.command_line(["render", "in.blend", "out.png"]) == code
    assert rendering.SENTENCE not in capfd.readouterr().err


def test_the_process_that_renders_tells_its_exit_code(monkeypatch, tmp_path):
    monkeypatch.setenv(rendering.END, str(tmp_path / "end"))
    assert ui.command_line(["render", str(tmp_path / "none.blend"), str(tmp_path / "out.png")]) == 2
    assert (tmp_path / "end").read_text() == "2"
    assert bpy.app.binary_path == ""  # as a module of Python Blender renders in its own process


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process without a signal")
def test_an_order_to_end_reaches_the_process_that_renders(blender, capfd):
    blender(
        "import os, signal, time; print(os.getpid(), flush=True); os.kill(os.getppid(), "
        "signal.SIGTERM); time.sleep(60)"
    )
    assert ui.command_line(["render", "in.blend", "out.png"]) == 128 + signal.SIGTERM
    printed = capfd.readouterr()
    assert rendering.SENTENCE not in printed.err
    with pytest.raises(ProcessLookupError):  # it is gone
        os.kill(int(printed.out), 0)
