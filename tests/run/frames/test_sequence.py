# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run: states of it, the same on any machine, never over others."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode, simulate
from erosion_addon.base.errors import InputError
from erosion_addon.cli.commands import main
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.rasters import exr_writer
from erosion_addon.files.rasters.exr_writer import write_exr
from erosion_addon.processes.shared import state
from erosion_addon.run.frames.animation import animate
from erosion_addon.run.frames.frame_files import cut, locked
from erosion_addon.run.frames.frame_settings import FrameSettings
from erosion_addon.run.frames.record import Record
from erosion_addon.run.frames.sequence import Frames
from erosion_addon.run.region.resuming import resume
from erosion_addon.run.simulation import RunOptions
from tests.small_disk import small_disk
from tests.terrains import fractal

IMAGES = OpenImageIOFiles()
RECIPE = Recipe.from_dict(
    {
        "name": "two",
        "step": [
            {"kind": "droplet", "drops_per_cell": 0.5},
            {"kind": "talus", "sediment_angle": 20.0},
        ],
    }
)


def land():
    """48 × 64 cells of 10 m."""
    return Terrain(fractal(48, 64, relief=200.0), 10.0)


def kept(folder, count=6, fields=("wear",), threads=0):
    """Write the frames of a run of RECIPE to `folder`; returns the last progress."""
    for progress in Frames(folder, count, fields).keep(
        simulate(land(), RECIPE, threads=threads), land()
    ):
        last = progress
    return last


@pytest.mark.slow
def test_the_last_frame_is_the_result_and_the_others_are_the_same_on_any_number_of_threads(
    tmp_path,
):
    result = erode(land(), RECIPE)
    for threads in (1, 2):
        kept(tmp_path / str(threads), threads=threads)
    last = IMAGES.read(tmp_path / "1" / "elevation_0006.exr")
    assert last.tobytes() == result.elevation.astype(np.float32).tobytes()
    assert IMAGES.read(tmp_path / "1" / "wear_0006.exr").tobytes() == result["wear"].tobytes()
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert names == [*(f"elevation_000{k}.exr" for k in range(7)), "frames.json"] + [
        f"wear_000{k}.exr" for k in range(7)
    ]
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name


def test_a_frame_is_the_state_of_a_run_that_was_stopped_there(tmp_path, monkeypatch):
    kept(tmp_path, count=4)
    monkeypatch.setattr(state, "CHUNK_SECONDS", 1e-9)
    stopped = next(progress for progress in simulate(land(), RECIPE) if progress.fraction >= 0.25)
    expected = stopped.terrain.elevation.astype(np.float32)
    assert IMAGES.read(tmp_path / "elevation_0001.exr").tobytes() == expected.tobytes()
    record = json.loads((tmp_path / "frames.json").read_text())
    assert (record["frames"], record["kept"], record["fields"]) == (4, 4, ["elevation", "wear"])
    assert len(record["sha256"]) == 10


def test_no_frames_take_more_room_than_was_told(tmp_path):
    frames = Frames(tmp_path, 4, ("wear", "surface_color"))
    for _ in frames.keep(simulate(land(), RECIPE), land()):
        pass
    taken = sum(file.stat().st_size for file in tmp_path.glob("*.exr"))
    heads = 1000 * len(list(tmp_path.glob("*.exr")))
    assert 0.2 * frames.bytes_needed((48, 64)) < taken < frames.bytes_needed((48, 64)) + heads


def test_chunks_have_their_length_again_after_a_run_that_was_left(tmp_path):
    before = state.CHUNK_SECONDS
    run = Frames(tmp_path, 4, ()).keep(simulate(land(), RECIPE))
    next(run)
    run.close()
    assert before == state.CHUNK_SECONDS


def test_frames_never_replace_others(tmp_path):
    kept(tmp_path, count=2)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "wear_0001.exr").touch()
    for folder, fields in ((tmp_path, ()), (tmp_path / "other", ("wear",))):
        with pytest.raises(
            InputError, match="already holds frames of a run; choose another folder"
        ):
            Frames(folder, 2, fields)


def test_a_field_that_does_not_exist_is_refused_with_those_that_do(tmp_path):
    with pytest.raises(InputError, match=r"no field lava; choose one of .*wear"):
        Frames(tmp_path, 2, ["lava"])


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes everywhere"
)
def test_a_read_only_folder_is_refused_before_the_run(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written"):
        Frames(tmp_path, 2, ())


def full_after(monkeypatch, count):
    """Make the disk full after a number of files."""
    written = []

    def write(path, pixels):
        written.append(path)
        if len(written) > count:
            raise OSError(28, "No space left on device")
        write_exr(path, pixels)

    monkeypatch.setattr(exr_writer, "write_exr", write)


def test_a_disk_that_fills_up_leaves_whole_frames_and_a_sentence(tmp_path, monkeypatch):
    full_after(monkeypatch, 5)  # in the middle of the third frame of two files
    with pytest.raises(
        InputError, match=r"wear_0002\.exr cannot be written: No space left on device"
    ):
        kept(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [
        "elevation_0000.exr",
        "elevation_0001.exr",
        "frames.json",
        "wear_0000.exr",
        "wear_0001.exr",
    ]
    assert json.loads((tmp_path / "frames.json").read_text())["kept"] == 1


def test_the_command_says_which_frames_a_full_disk_leaves_and_how_to_run_again(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    full_after(monkeypatch, 2)
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "3"]
    assert main([*words, "--frames-folder", "kept"]) == 2
    told = capsys.readouterr().err
    assert "elevation_0002.exr cannot be written: No space left on device." in told
    assert (
        "The 2 frames made so far stay in kept; remove them, or choose another folder, to run "
        "again." in told
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dem.npy", "kept"]
    assert len(list((tmp_path / "kept").iterdir())) == 3
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--frames-folder", "kept 2"]) == 0


@pytest.mark.slow
def test_an_animation_on_a_disk_that_fills_up_goes_on_where_there_is_room(tmp_path):
    """A real file system of 1 MB, which something else fills while the third frame is made, to the
    last two pages.
    """
    disk = tmp_path / "disk"
    calm = tmp_path / "calm"
    recipes = [
        RECIPE.with_values({"droplet.drops_per_cell": 0.1 * (1 + number)}) for number in range(5)
    ]
    assert animate(FrameSettings(calm, 4, ("wear",)), land(), recipes, RunOptions()) == 5

    def fill(fraction):
        ballast = disk / "ballast"
        if fraction > 0.5 and not ballast.exists():
            with suppress(OSError), ballast.open("wb", buffering=0) as stream:
                while True:
                    stream.write(bytes(4096))
            os.truncate(ballast, ballast.stat().st_size - 2 * 4096)

    with small_disk(disk, 1024):
        folder = disk / "frames"
        settings = FrameSettings(folder, 4, ("wear",))
        with pytest.raises(
            InputError, match=r"_0002.* cannot be written: No space left on device\."
        ) as full:
            animate(settings, land(), recipes, RunOptions(), fill)
        assert str(full.value).endswith(
            f" The frames made before stay in {folder}; run the animation again for the others "
            "once there is room."
        )
        kept = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert kept.keys() == {
            "frames.json",
            *(f"{name}_000{k}.exr" for name in ("elevation", "wear") for k in (0, 1)),
        }
        assert all(
            kept[name] == (calm / name).read_bytes() for name in kept if name != "frames.json"
        )
        (disk / "ballast").unlink()
        assert animate(settings, land(), recipes, RunOptions()) == 3
        for path in calm.iterdir():
            assert (folder / path.name).read_bytes() == path.read_bytes(), path.name


def test_a_run_that_may_lose_its_frames_goes_on_without(tmp_path, monkeypatch):
    full_after(monkeypatch, 5)
    said = []
    for progress in Frames(tmp_path, 6, ["wear"]).keep(
        simulate(land(), RECIPE), land(), said.append
    ):
        last = progress
    assert last.fraction == 1.0
    assert len(said) == 1 and said[0].endswith("No space left on device.")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alpine", "arcane", "canyon"])
def test_frames_of_a_paused_run_go_on_as_if_it_had_not_been(tmp_path, name):
    recipe = Recipe.load(name)
    whole = tmp_path / "whole"
    parts = tmp_path / "parts"
    for _ in Frames(whole, 5, ["wear"]).keep(simulate(land(), recipe), land()):
        pass
    run = Frames(parts, 5, ["wear"]).keep(simulate(land(), recipe), land())
    paused = next(progress for progress in run if progress.fraction > 0.5).checkpoint
    run.close()
    (parts / ".erosion-0123456789abcdef.exr").touch()  # left by a process that was ended
    for _ in Frames.of_paused_run(parts, land().elevation).keep(resume(paused)):
        pass
    assert Record.read(parts) == Record.read(whole)
    assert {file.name for file in parts.iterdir()} == {file.name for file in whole.iterdir()}


def test_a_paused_run_goes_on_with_its_own_frames_only(tmp_path):
    other = land().elevation + 1.0
    kept(tmp_path / "of another run")
    for folder in ("of another run", "none"):
        with pytest.raises(
            InputError, match="does not hold the frames of the paused run; go on without frames"
        ):
            Frames.of_paused_run(tmp_path / folder, other)


def test_frames_are_cut_back_to_a_number(tmp_path):
    kept(tmp_path)
    (tmp_path / "wear_mine.exr").touch()
    cut(tmp_path, ["wear"], 2)
    assert Record.read(tmp_path).kept == 2 and len(Record.read(tmp_path).sha256) == 6
    assert len(list(tmp_path.iterdir())) == 8
    cut(tmp_path, ["wear"], -1)
    assert [file.name for file in tmp_path.iterdir()] == ["wear_mine.exr"]


def test_a_record_that_is_damaged_is_none(tmp_path):
    kept(tmp_path, count=2)
    good = json.loads((tmp_path / "frames.json").read_text())
    for name, value in [
        ("size", [4]),
        ("fields", ["lava"]),
        ("kept", 9),
        ("spacing", [0, 1]),
        ("sha256", {"x": "y"}),
    ]:
        (tmp_path / "frames.json").write_text(json.dumps(good | {name: value}))
        assert Record.read(tmp_path) is None, name
    (tmp_path / "frames.json").write_bytes(b"\xff")
    assert Record.read(tmp_path) is None


def test_the_command_keeps_frames_and_wants_both_words(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "3"]
    assert main(words) == 2
    assert "--frames and --frames-folder belong together" in capsys.readouterr().err
    assert main([*words, "--frames-folder", "kept"]) == 0
    last = IMAGES.read(Path("kept/elevation_0003.exr"))
    assert last.tobytes() == np.load("out.npy").astype(np.float32).tobytes()


def test_a_run_into_a_folder_of_another_run_is_refused_before_the_work(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(24, 32))
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "2"]
    with locked(Path("kept")):
        assert main([*words, "--frames-folder", "kept"]) == 2
        assert f"kept is being changed by process {os.getpid()}" in capsys.readouterr().err
        assert [path.name for path in Path("kept").iterdir()] == ["lock"] and not Path(
            "out.npy"
        ).exists()
    assert not Path("kept").exists(), "a folder that stayed empty is not left behind"
    assert main([*words, "--frames-folder", "kept"]) == 0
    assert not Path("kept/lock").exists() and Path("kept/elevation_0002.exr").exists()
    assert main([*words, "--frames-folder", "kept"]) == 2 and not Path("kept/lock").exists()


def test_of_two_commands_at_once_one_keeps_its_frames_and_the_other_is_refused(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        "--set",
        "droplet.drops_per_cell=200",
        "--frames-folder",
        "kept",
    ]
    command = [sys.executable, "-m", "erosion_addon", *words, "--frames", "3", "--quiet"]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    runs = [
        subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    while all(run.poll() is None for run in runs):
        time.sleep(0.05)
    refused = next(run for run in runs if run.poll() is not None)
    winner = next(run for run in runs if run is not refused)
    assert "is being changed by" in refused.communicate()[1] and refused.returncode == 2
    winner.terminate()
    winner.communicate()
    assert not Path("kept/lock").exists()


def test_the_command_counts_frames_by_the_length_of_a_film(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(24, 32))
    words = [
        "erode",
        "dem.npy",
        "out.npy",
        "--set",
        "droplet.drops_per_cell=0.5",
        "--frames-folder",
        "kept",
    ]
    film = ["--frames-per-second", "12", "0.25"]
    assert main([*words, *film, "--frames", "3"]) == 2
    assert "give one of them" in capsys.readouterr().err
    assert main([*words, "--frames-per-second", "inf", "1"]) == 2
    assert main([*words, *film]) == 0
    assert max(Path("kept").glob("elevation_*.exr")).name == "elevation_0003.exr"


@pytest.mark.parametrize(
    ("ends", "code", "reason"),
    [(KeyboardInterrupt(), 130, "Interrupted"), (None, 143, "Ended by the system")],
)
def test_a_run_that_is_interrupted_says_once_what_stays(
    tmp_path, capsys, monkeypatch, ends, code, reason
):
    monkeypatch.chdir(tmp_path)
    np.save("dem.npy", fractal(48, 64))
    write = Frames._write

    def third_is_the_last(self, number, terrain, report):
        if number == 3:
            if ends is None:
                os.kill(os.getpid(), signal.SIGTERM)
            else:
                raise ends
        write(self, number, terrain, report)

    monkeypatch.setattr(Frames, "_write", third_is_the_last)
    words = ["erode", "dem.npy", "out.npy", "--set", "droplet.drops_per_cell=0.5", "--frames", "4"]
    assert main([*words, "--frames-folder", "kept"]) == code
    told = capsys.readouterr().err.splitlines()
    assert (
        told[-1] == f"{reason}; no result was written, but the 3 frames made so far stay in kept."
    )
    assert not any(
        "nothing was written" in line or line.startswith("The 2 frames") for line in told
    )
    assert not Path("out.npy").exists() and Path("kept/elevation_0002.exr").exists()
