# SPDX-License-Identifier: GPL-3.0-or-later
"""Render farms: regular checkpoints, skipped finished work, progress as JSON."""

import json
import signal
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.cli.commands import main
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.run.frames.sequence import Frames
from tests.cli.commandline import FEW, listing
from tests.terrains import fractal

RUN = ["--set", "droplet.drops_per_cell=12", "--seed", "4"]
SAVED = ["--checkpoint", "run.npz", "--checkpoint-every", "1e-9"]


@pytest.fixture
def smallest_chunks(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)


def interrupted_after(monkeypatch, saves):
    """Raise Ctrl-C after a number of checkpoints."""
    save = Checkpoint.save
    count = [0]

    def saving(checkpoint, path):
        save(checkpoint, path)
        count[0] += 1
        if count[0] == saves:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Checkpoint, "save", saving)


@pytest.mark.slow
@pytest.mark.parametrize(
    "region", [[], ["--cell-size", "10", "--region", "60", "60", "320", "250"]]
)
def test_a_run_killed_after_a_checkpoint_goes_on_by_the_same_command(
    folder, monkeypatch, capsys, smallest_chunks, keyboard, region
):
    np.save("dem.npy", fractal(32, 40, relief=200.0))
    assert main(["erode", "dem.npy", "whole.npy", *RUN, "--quiet", *region]) == 0
    words = ["erode", "dem.npy", "part.npy", *RUN, *SAVED, "--continue", "--quiet", *region]
    with monkeypatch.context() as patch:
        interrupted_after(patch, 2)
        capsys.readouterr()
        assert main(words) == 130
    said = capsys.readouterr().err
    assert (
        said.startswith("Interrupted; no result was written, but the checkpoint at ")
        and "stays in run.npz" in said
    )
    values = Checkpoint.load("run.npz").values
    assert values.get("window", values)["seed"] == 4 and not Path("part.npy").exists()
    begun = []
    monkeypatch.setattr("erosion_addon.cli.runs.begin", lambda *_, **__: begun.append(1))
    assert main(words) == 0 and not begun
    assert Path("part.npy").read_bytes() == Path("whole.npy").read_bytes()
    assert not Path("run.npz").exists()  # a state on the way to what is there


@pytest.mark.parametrize(
    "other",
    [
        ["--seed", "5"],
        ["--edges", "closed"],
        ["--cell-size", "2"],
        ["--set", "droplet.capacity=3"],
        "ground",
    ],
)
def test_a_checkpoint_of_another_run_is_not_gone_on_from(folder, capsys, smallest_chunks, other):
    words = ["erode", "dem.npy", "out.npy", *FEW, "--checkpoint", "run.npz"]
    assert main([*words, "--time-limit", "0"]) == 75
    kept = Path("run.npz").read_bytes()
    if other == "ground":
        ground = np.load("dem.npy")
        ground[3, 3] = np.nextafter(ground[3, 3], np.inf)
        np.save("dem.npy", ground)
    capsys.readouterr()
    assert main([*words, "--continue", *(other if isinstance(other, list) else [])]) == 2
    assert (
        capsys.readouterr().err
        == "run.npz belongs to another run; name another checkpoint, or remove this one.\n"
    )
    assert Path("run.npz").read_bytes() == kept and not Path("out.npy").exists()


def test_a_checkpoint_that_cannot_be_saved_on_the_way_does_not_end_the_run(
    folder, monkeypatch, capsys, smallest_chunks
):
    def full(stream, **_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("erosion_addon.run.checkpoint.np.savez_compressed", full)
    assert main(["erode", "dem.npy", "out.npy", *FEW, *SAVED]) == 0
    assert "No space left on device. The run goes on." in capsys.readouterr().err
    assert set(listing(folder)) == {"dem.npy", "out.npy"}


KEPT = ["--frames", "6", "--frames-folder", "kept", "--frames-fields", "wear"]


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "region", [[], ["--cell-size", "10", "--region", "60", "60", "320", "250"]]
)
@pytest.mark.parametrize("command", ["continue", "resume"])
def test_frames_of_a_killed_run_go_on_with_the_same_bytes(
    folder, monkeypatch, smallest_chunks, keyboard, region, command
):
    np.save("dem.npy", fractal(32, 40, relief=200.0))
    kept = [*KEPT[:3], "whole", *KEPT[4:]]
    assert main(["erode", "dem.npy", "whole.npy", *RUN, "--quiet", *region, *kept]) == 0
    words = ["erode", "dem.npy", "part.npy", *RUN, *SAVED, "--continue", "--quiet", *region, *KEPT]
    with monkeypatch.context() as patch:
        interrupted_after(patch, 4)
        assert main(words) == 130
    frames = bytes_of("kept")
    assert 2 < len(frames) < len(bytes_of("whole"))
    if command == "resume":
        words = ["resume", "run.npz", "part.npy", "--quiet", "--frames-folder", "kept"]
    assert main(words) == 0
    assert bytes_of("kept") == bytes_of("whole")
    assert Path("part.npy").read_bytes() == Path("whole.npy").read_bytes()


def test_a_run_killed_at_its_first_frame_goes_on_with_it(
    folder, monkeypatch, smallest_chunks, keyboard
):
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        *RUN,
        "--checkpoint",
        "run.npz",
        "--continue",
        "--quiet",
        *KEPT,
    ]
    write = Frames._write

    def killed(self, number, *rest):
        write(self, number, *rest)
        if not number:
            signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Frames, "_write", killed)
        assert main(words) == 130
    assert Path("kept/elevation_0000.exr").exists() and Path("run.npz").exists()
    assert main(words) == 0 and Path("kept/wear_0006.exr").exists()


def test_frames_of_another_number_or_run_are_not_gone_on_with(folder, capsys, smallest_chunks):
    words = ["erode", "dem.npy", "out.npy", *FEW, "--checkpoint", "run.npz", "--continue"]
    assert main([*words, *KEPT, "--time-limit", "0"]) == 75
    before = bytes_of("kept")
    for other in (["--frames", "7"], ["--frames-fields", "flow"]):
        capsys.readouterr()
        assert main([*words, *KEPT, *other]) == 2
        assert (
            "kept holds 6 frames with elevation, wear; ask for the same number"
            in capsys.readouterr().err
        )
    assert main([*words, *KEPT, "--frames-folder", "none"]) == 2
    assert (
        "none does not hold the frames of the paused run; go on without frames"
        in capsys.readouterr().err
    )
    Path("run.npz").unlink()
    assert main([*words, *KEPT]) == 2
    assert "kept already holds frames of a run" in capsys.readouterr().err
    assert bytes_of("kept") == before and not Path("none").exists()


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--checkpoint-every", "5"], "checkpoint-every"),
        (["--continue"], "continue"),
        (["--time-limit", "5"], "time-limit"),
    ],
)
def test_what_needs_a_checkpoint_says_so(folder, capsys, words, option):
    assert main(["erode", "dem.npy", "out.npy", *words]) == 2
    assert (
        capsys.readouterr().err == f"--{option} needs --checkpoint, the file that holds the run.\n"
    )


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "soon"])
def test_a_time_between_checkpoints_is_more_than_nothing(folder, capsys, minutes):
    assert (
        main(
            [
                "erode",
                "dem.npy",
                "out.npy",
                "--checkpoint",
                "run.npz",
                f"--checkpoint-every={minutes}",
            ]
        )
        == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


ORDER = ["erode", "dem.npy", "out.exr", *FEW, "--maps", "maps", "--report", "r.json"]


def test_a_command_whose_results_are_there_does_nothing(folder, monkeypatch, capsys):
    assert main(ORDER) == 0
    before = {
        path: Path(path).stat().st_mtime_ns
        for path in ("out.exr", "out.json", "r.json", "maps/flow.exr")
    }
    capsys.readouterr()

    def work(*_, **__):
        raise AssertionError("work was done")

    monkeypatch.setattr("erosion_addon.cli.runs.begin", work)
    assert main([*ORDER, "--threads", "1", "--progress", "json"]) == 0
    assert "nothing was done" in capsys.readouterr().err
    assert {path: Path(path).stat().st_mtime_ns for path in before} == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["seed", "input", "output damaged", "map missing", "report damaged", "own recipe"]
)
def test_a_command_of_which_anything_has_changed_runs_again(folder, monkeypatch, change):
    words = list(ORDER)
    if change == "own recipe":
        Path("own.toml").write_text(
            'name = "own"\n[[step]]\nkind = "droplet"\ndrops_per_cell = 0.5\n'
        )
        words = ["erode", "dem.npy", "out.exr", "--recipe", "own.toml", "--report", "r.json"]
    assert main(words) == 0
    whole = listing(folder)
    match change:
        case "seed":
            words += ["--seed", "9"]
        case "input":
            np.save("dem.npy", np.load("dem.npy") + 1.0)
        case "output damaged":
            Path("out.exr").write_bytes(Path("out.exr").read_bytes()[:-1] + b"x")
        case "map missing":
            Path("maps", "flow.exr").unlink()
        case "report damaged":
            Path("r.json").write_text(Path("r.json").read_text()[:-9])
        case "own recipe":
            Path("own.toml").write_text(
                'name = "own"\n[[step]]\nkind = "droplet"\ndrops_per_cell = 0.25\n'
            )
    assert main(words) == 0
    after = listing(folder)
    if change in ("output damaged", "map missing", "report damaged"):
        assert {**after, "r.json": 0} == {**whole, "r.json": 0}  # which tells how long it took
    else:
        assert after["out.exr"] != whole["out.exr"]


def test_a_terrain_eroded_in_place_is_eroded_once_more(folder):
    words = ["erode", "dem.npy", "dem.npy", *FEW, "--report", "r.json"]
    assert main(words) == 0
    once = np.load("dem.npy")
    assert main(words) == 0
    assert not np.array_equal(np.load("dem.npy"), once)


def test_progress_for_programs_is_json_on_every_line(folder, capsys, smallest_chunks):
    np.save("dem.npy", fractal(32, 40, relief=200.0))
    assert main(["erode", "dem.npy", "out.npy", *RUN, "--progress", "json"]) == 0
    said = capsys.readouterr()
    assert said.out == "out.npy\n"
    events = [json.loads(line) for line in said.err.splitlines()]
    shown = [event for event in events if event["event"] == "progress"]
    assert [event["fraction"] for event in shown] == sorted({event["fraction"] for event in shown})
    assert shown[-1]["fraction"] == 1 and {event["kind"] for event in shown} == {"droplet"}
    assert shown[-1].keys() == {
        "event",
        "time",
        "fraction",
        "step",
        "kind",
        "text",
        "seconds",
        "seconds_left",
        "speed",
    }
    assert any(event["event"] == "note" for event in events)
    assert events[-1]["event"] == "end" and events[-1]["code"] == 0


def test_a_refusal_for_programs_is_json_too(folder, capsys):
    assert main(["erode", "none.npy", "out.npy", "--progress", "json"]) == 2
    note, end = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert note["event"] == "note" and "none.npy" in note["text"]
    assert (end["event"], end["code"]) == ("end", 2)
    assert main(["erode", "none.npy", "out.npy"]) == 2
    assert not capsys.readouterr().err.startswith("{")


@pytest.mark.parametrize(
    ("words", "last"),
    [
        (["convert", "dem.npy", "out.r16"], "files written"),
        (["analyze", "dem.npy", "--report", "out.json"], "files written"),
        (["rivers", "dem.npy", "out.csv"], "files written"),
        (["landscape", "make", "land", "dem.npy", "--tile", "64"], "tiles made"),
        (["landscape", "check", "made"], "start/elevation compared"),
        (["landscape", "preview", "made", "out.png"], "file written"),
        (["make", "cone", "cone.exr", "--size", "16x16"], "maps written"),
        (
            ["variants", "dem.npy", "page", *FEW, "--seeds", "3", "--full"],
            "variant 0_3 in full, Carve gullies, step 1 of 1",
        ),
    ],
)
def test_all_commands_tell_their_progress_in_one_form(folder, capsys, words, last):
    np.save("dem.npy", fractal(64, 96))
    assert main(["landscape", "make", "made", "dem.npy", "--tile", "64", "--quiet"]) == 0
    capsys.readouterr()
    assert main([*words, "--progress", "json"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    shown = [event for event in events if event["event"] == "progress"]
    assert all(
        event.keys() >= {"time", "fraction", "text", "seconds", "seconds_left"} for event in shown
    )
    fractions = [event["fraction"] for event in shown]
    assert fractions == sorted(fractions) and fractions[-1] == 1 and shown[-1]["text"] == last
    assert events[-1]["event"] == "end" and events[-1]["code"] == 0
