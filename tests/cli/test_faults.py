# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of a run: out of memory, full disk, interrupt, internal error."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, simulate
from erosion_addon.base.atomic_files import Outputs
from erosion_addon.base.memory import size_in_words
from erosion_addon.cli.commands import main
from erosion_addon.cli.terminal.progress import ProgressLine
from erosion_addon.files.heightmap import encode_heightmap
from erosion_addon.generators.registry import make
from erosion_addon.terrain.fields import ANALYZED, FIELDS
from tests.cli.commandline import DROPLET_MAPS, FEW, ROOT, listing


@pytest.mark.slow
@pytest.mark.parametrize("writes", [0, 1, 2, 5, 6])
@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), MemoryError(), KeyboardInterrupt()]
)
def test_a_fault_at_any_written_file_leaves_all_files_as_they_were(
    folder, monkeypatch, capsys, writes, fault
):
    main(["erode", "dem.npy", "out.npy", "--maps", "old", *FEW])
    before = listing(folder)
    count = [0]

    def failing(path, *rest, **more):
        if count[0] == writes:
            Path(path).write_bytes(b"half")
            raise fault
        count[0] += 1
        return encode_heightmap(path, *rest, **more)

    for module in ("cli.runs", "files.maps"):
        monkeypatch.setattr(f"erosion_addon.{module}.encode_heightmap", failing)
    for maps in ("old", "new"):
        count[0] = 0
        code = main(
            [
                "erode",
                "dem.npy",
                "out.npy",
                "--maps",
                maps,
                "--report",
                "r.json",
                "--seed",
                "8",
                *FEW,
            ]
        )
        assert code == (130 if isinstance(fault, KeyboardInterrupt) else 2)
        error = capsys.readouterr().err
        assert ".erosion-" not in error and "Traceback" not in error
        kept = Path("out.npz")
        assert kept.exists() == (code == 2) == (str(folder / kept) in error)
        kept.unlink(missing_ok=True)
        assert listing(folder) == before


def test_the_sentence_about_a_full_disk_names_the_file(folder, monkeypatch, capsys):
    def save(stream, *_, **__):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("erosion_addon.files.heightmap.np.save", save)
    assert main(["erode", "dem.npy", "out.npy", "--quiet", *FEW]) == 2
    assert capsys.readouterr().err == (
        f"What was computed is kept in {folder / 'out.npz'}; the command resume writes its "
        f"results.\n{folder / 'out.npy'} cannot be written: No space left on device.\n"
    )


@pytest.mark.parametrize(
    "broken", ["cli.runs.encode_heightmap", "cli.runs.maps.write", "cli.runs.Outputs.publish"]
)
@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), MemoryError(), ZeroDivisionError("ours")]
)
def test_a_run_whose_results_cannot_be_written_is_not_lost(folder, monkeypatch, broken, fault):
    words = ["--maps", "maps", "--quiet"]
    assert (
        main(["erode", "dem.npy", "whole.npy", "--seed", "3", "--maps", "whole", "--quiet", *FEW])
        == 0
    )
    whole = Outputs.publish

    def breaks(*given, **named):
        if "goes_on" in named:  # of the file that keeps the run
            return whole(*given, **named)
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(f"erosion_addon.{broken}", breaks)
        assert main(["erode", "dem.npy", "out.npy", "--seed", "3", *words, *FEW]) != 0
    assert not Path("out.npy").exists() and not Path("maps").exists()
    assert main(["resume", "out.npz", "out.npy", *words]) == 0
    assert Path("out.npy").read_bytes() == Path("whole.npy").read_bytes()
    for name in DROPLET_MAPS:
        assert Path("maps", f"{name}.exr").read_bytes() == Path("whole", f"{name}.exr").read_bytes()


def test_a_step_that_leaves_the_bounds_of_heights_does_not_take_the_others_along(folder, capsys):
    np.save("high.npy", np.load("dem.npy") + 5e8)
    talus = '[[step]]\nkind = "talus"\n'
    rising = '[[step]]\nkind = "uplift"\nuplift = 1000.0\nyears = 1e9\n'
    Path("one.toml").write_text(f'name = "one"\nedges = "closed"\n{talus}')
    Path("two.toml").write_text(f'name = "two"\nedges = "closed"\n{talus}{rising}')
    assert main(["erode", "high.npy", "one.npy", "--recipe", "one.toml", "--quiet"]) == 0
    assert main(["erode", "high.npy", "out.npy", "--recipe", "two.toml", "--quiet"]) == 2
    said = capsys.readouterr().err
    assert (
        f"What was computed is kept in {folder / 'out.npz'}" in said
        and "not finite or beyond" in said
    )
    assert not Path("out.npy").exists()
    assert main(["resume", "out.npz", "out.npy"]) == 0
    assert "The result is that of the steps before." in capsys.readouterr().err
    assert Path("out.npy").read_bytes() == Path("one.npy").read_bytes()


def test_a_run_that_cannot_be_written_replaces_no_file_of_the_users(folder, monkeypatch, capsys):
    Path("out.npz").write_bytes(b"mine")
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(
        "erosion_addon.cli.runs.encode_heightmap",
        lambda *_, **__: (_ for _ in ()).throw(MemoryError),
    )
    assert main(["erode", "dem.npy", "out.npy", "--quiet", *FEW]) == 2
    kept = re.search(r"kept in (.*);", capsys.readouterr().err)[1]
    assert Path("out.npz").read_bytes() == b"mine" and Path(kept).name != "out.npz"
    assert main(["resume", kept, "later.npy", "--quiet"]) != 0, "it still cannot be written"
    monkeypatch.undo()
    assert main(["resume", kept, str(folder / "later.npy"), "--quiet"]) == 0


def test_a_run_with_a_checkpoint_is_kept_there_and_the_same_command_writes_it(
    folder, monkeypatch, capsys
):
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        "--checkpoint",
        "run.npz",
        "--continue",
        "--quiet",
        *FEW,
    ]
    with monkeypatch.context() as patch:
        patch.setattr(
            "erosion_addon.cli.runs.encode_heightmap",
            lambda *_, **__: (_ for _ in ()).throw(MemoryError),
        )
        assert main(words) == 2
    assert str(folder / "run.npz") in capsys.readouterr().err
    assert main(words) == 0
    assert Path("out.npy").exists() and not Path("run.npz").exists()


def test_an_interrupt_while_files_are_moved_waits_for_the_last_one(folder, monkeypatch):
    replace = Path.replace

    def interrupted(source, target):
        if target.name in ("elevation.exr", "out.npy"):
            signal.raise_signal(signal.SIGINT)
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps", *FEW]) == 0
    assert {"out.npy", *(str(Path("maps", f"{name}.exr")) for name in DROPLET_MAPS)} < set(
        listing(folder)
    )


def test_no_memory_is_told_before_the_run_with_numbers(folder, monkeypatch, capsys):
    # Enough to read 24 x 32 cells at 17 bytes, too little to erode them at 124.
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: 30_000)
    assert main(["erode", "dem.npy", "out.npy"]) == 2
    assert re.fullmatch(
        r"Eroding 24 × 32 cells needs about .* is free; .*\.\n", capsys.readouterr().err
    )


@pytest.fixture
def nothing_runs(monkeypatch):
    def step(*_):
        raise AssertionError("work was done")

    monkeypatch.setattr("erosion_addon.processes.droplet.step.DropletStep.advance", step)
    monkeypatch.setattr("erosion_addon.generators.registry.make", step)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "size"),
    [
        (["erode", "dem.npy", "out.npy"], 24 * 32 * 8),
        (["erode", "dem.npy", "out.tif", "--maps", "maps"], 24 * 32 * (4 + 6 * 2)),
        (
            ["erode", "dem.npy", "out.png", "--checkpoint", "run.npz", "--time-limit", "9"],
            24 * 32 * 24,
        ),
        (["resume", "run.npz", "out.r32"], 24 * 32 * 4),
        (["make", "cone", "out.r16", "--size", "100x100"], 20_000),
        (
            ["convert", "dem.npy", "out.r16", "--size", "101x101", "--tiles", "2x3"],
            6 * 2 * 101 * 101,
        ),
    ],
)
def test_a_disk_without_room_is_told_before_any_work(
    folder, monkeypatch, capsys, words, size, request
):
    erosion = simulate(Terrain(np.load("dem.npy")), Recipe.load("arcane"))
    next(iter(erosion)).checkpoint.save("run.npz")
    request.getfixturevalue("nothing_runs")
    before = listing(folder)
    usage = shutil.disk_usage
    free = [size - 1]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(path)._replace(free=free[0]))
    assert main(words) == 2
    said = capsys.readouterr().err
    assert f"need about {size_in_words(size)} in {folder}, and" in said and said.count("\n") == 1
    assert listing(folder) == before
    free[0] = size
    assert main(words) != 2


def test_no_memory_in_the_run_is_told_and_survived(folder, monkeypatch, capsys):
    def simulate(*_, **__):
        raise MemoryError

    monkeypatch.setattr("erosion_addon.cli.runs.begin", simulate)
    assert main(["erode", "dem.npy", "out.npy"]) == 2
    assert capsys.readouterr().err == (
        "There was not enough memory; use a smaller terrain or close other programs.\n"
    )


def test_libraries_that_cannot_be_loaded_are_told(folder, monkeypatch, capsys):
    """As libllvmlite.so with 200 MB of address space."""

    def simulate(*_, **__):
        load = "raise OSError('Could not find/load shared object file')"
        exec(compile(load, "/lib/llvmlite/binding/ffi.py", "exec"))  # noqa: S102

    monkeypatch.setattr("erosion_addon.cli.runs.begin", simulate)
    before = listing(folder)
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps"]) == 2
    assert re.fullmatch(
        r"The libraries of the compiler cannot be loaded; .*object file\n", capsys.readouterr().err
    )
    assert listing(folder) == before


def test_our_own_fault_is_exit_code_one_with_a_traceback(folder, monkeypatch, capsys):
    def simulate(*_, **__):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr("erosion_addon.cli.runs.begin", simulate)
    before = listing(folder)
    assert main(["erode", "dem.npy", "out.npy", "--maps", "maps"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("Traceback") and "\nZeroDivisionError: ours" in error
    assert listing(folder) == before


ENDLESS = ("--set", "droplet.drops_per_cell=300")
posix = pytest.mark.skipif(os.name == "nt", reason="no such signals on Windows")


def ended(number, *words):
    """Exit code and standard error of `erode` on 128² cells, ended by a signal at a tenth of the
    work.
    """
    np.save("dem.npy", make("fractal", 128, 128).elevation)
    process = subprocess.Popen(
        [sys.executable, "-m", "erosion_addon", "erode", "dem.npy", "out.npy", *ENDLESS, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # nohup ignores SIGHUP, and so would the child
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    try:
        seen = ""
        while "left" not in seen:
            seen += process.stderr.readline()
        process.send_signal(number)
        return process.wait(120), process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.worker
@posix
@pytest.mark.parametrize(("name", "code"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_an_order_of_the_system_to_end_leaves_nothing_behind(folder, name, code):
    np.save("dem.npy", make("fractal", 128, 128).elevation)
    before = listing(folder)
    seen, error = ended(getattr(signal, name), "--maps", "maps", "--report", "r.json")
    assert (seen, error.splitlines()[-1]) == (code, "Ended by the system; nothing was written.")
    assert "Traceback" not in error
    assert listing(folder) == before


@pytest.mark.worker
@posix
def test_an_order_of_the_system_to_end_saves_the_run_where_a_checkpoint_is_named(
    folder, monkeypatch
):
    code, error = ended(signal.SIGTERM, "--checkpoint", "run.npz")
    assert code == 143
    assert re.fullmatch(
        r"Ended by the system at \d+%; go on with the command resume\.", error.splitlines()[-1]
    )
    assert set(listing(folder)) == {"dem.npy", "run.npz"}
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    assert (
        main(
            [
                "resume",
                "run.npz",
                "out.npy",
                "--quiet",
                "--checkpoint",
                "more.npz",
                "--time-limit",
                "0",
            ]
        )
        == 75
    )
    assert set(listing(folder)) == {"dem.npy", "run.npz", "more.npz"}


@posix
def test_an_order_to_end_that_comes_with_the_last_chunk_loses_nothing(folder, monkeypatch):

    show = ProgressLine.show

    def signalled(line, fraction, *words, **values):
        show(line, fraction, *words, **values)
        if fraction == 1:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(ProgressLine, "show", signalled)
    assert main(["erode", "dem.npy", "out.npy", "--checkpoint", "run.npz", *FEW]) == 0
    assert set(listing(folder)) == {"dem.npy", "out.npy"}
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


@posix
def test_an_order_to_end_while_the_run_is_saved_does_not_stop_that(folder, monkeypatch):
    """A farm may say it twice."""
    from erosion_addon.run.checkpoint import Checkpoint

    save = Checkpoint.save

    def signalled(checkpoint, path):
        signal.raise_signal(signal.SIGTERM)
        save(checkpoint, path)

    monkeypatch.setattr(Checkpoint, "save", signalled)
    monkeypatch.setattr(ProgressLine, "show", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    assert main(["erode", "dem.npy", "out.npy", "--checkpoint", "run.npz"]) == 143
    assert set(listing(folder)) == {"dem.npy", "run.npz"}


@pytest.mark.usefixtures("keyboard")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_an_order_that_a_library_swallows_is_heeded_at_the_next_chunk(
    folder, monkeypatch, capsys, name
):
    """As numba does, in whose callbacks exceptions are only printed."""
    np.save("dem.npy", make("fractal", 32, 32).elevation)
    before = listing(folder)
    shown = []

    def swallow(*_, **__):
        shown.append(name)
        with contextlib.suppress(BaseException):
            signal.raise_signal(getattr(signal, name))

    monkeypatch.setattr(ProgressLine, "show", swallow)
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    code = main(["erode", "dem.npy", "out.npy"])
    assert (code, len(shown)) == ({"SIGINT": 130, "SIGTERM": 143}[name], 1)
    assert "nothing was written" in capsys.readouterr().err and listing(folder) == before


@pytest.mark.worker
@pytest.mark.skipif(os.name == "nt", reason="a test cannot press Ctrl-C on Windows")
@pytest.mark.usefixtures("keyboard")
def test_ctrl_c_in_the_run_ends_it_at_once_and_nothing_is_written(folder):
    import pty

    np.save("dem.npy", make("fractal", 256, 256).elevation)
    before = listing(folder)
    controller, terminal = pty.openpty()
    words = ["erode", "dem.npy", "out.npy", "--maps", "maps", "--report", "r.json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "erosion_addon", *words, "--set", "droplet.drops_per_cell=1000"],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "ascii",
        },
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    try:
        seen = b""
        while b"left" not in seen:
            seen += os.read(controller, 1000)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=300)  # the exit code tells that it was cancelled
        seen += os.read(controller, 100_000)
    finally:
        process.kill()
        process.communicate()
        os.close(controller)
    assert process.returncode == 130
    assert (
        seen.rstrip().endswith(b"\rInterrupted; nothing was written.") and b"Traceback" not in seen
    )
    assert b"-" * 23 in seen  # the bar, in ASCII
    assert out == b""
    assert listing(folder) == before


@pytest.mark.parametrize(
    "words,names",
    [
        (["convert", "dem.npy", "out.exr"], {"out.exr", "out.json"}),
        (
            ["analyze", "dem.npy", "--report", "f.json", "--maps", "maps", "--plot", "f.svg"],
            {
                "f.json",
                "f.svg",
                *(f"{image}.exr" for name in ANALYZED for image in FIELDS[name].images),
            },
        ),
        (
            ["rivers", "dem.npy", "out.obj", "--also", "out.csv", "--carve", "out.exr"],
            {"out.obj", "out.csv", "out.exr", "out.json"},
        ),
    ],
)
@pytest.mark.parametrize("broken", [(os, "fsync"), (Outputs, "_move")])
def test_what_a_command_computed_is_not_lost_where_its_folder_takes_no_files(
    folder, tmp_path_factory, monkeypatch, capsys, words, names, broken
):
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    owner, name = broken
    whole = getattr(owner, name)
    faults = iter([OSError(28, "No space left on device")])

    def breaks_once(*arguments):
        for fault in faults:
            raise fault
        return whole(*arguments)

    before = listing(folder)
    monkeypatch.setattr(owner, name, breaks_once)
    assert main([*words, "--quiet"]) != 0
    assert listing(folder) == before
    kept = Path(re.search(r"kept in (.*)\.\n", capsys.readouterr().err)[1])
    assert kept.parent == temporary and {file.name for file in kept.iterdir()} == names
