# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints: an interrupted run continues to the same bytes."""

import itertools
import json
import os
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Checkpoint, InputError, Recipe, Terrain, erode, resume, simulate
from erosion_addon.run.checkpoint import FORMAT
from tests.terrains import fractal

RECIPE = Recipe.from_dict(
    {
        "name": "two",
        "step": [
            {"kind": "droplet", "name": "Carve gullies", "drops_per_cell": 2.0},
            {"kind": "droplet", "inertia": 0.3},
        ],
    }
)
TERRAIN = Terrain(fractal(40, 50, relief=300.0), 10.0, {"surface_color": np.full((40, 50, 3), 0.5)})
MASKS = {"hardness": np.full((40, 50), 0.3), "sediment": np.full((40, 50), 1.0)}


@pytest.fixture(scope="module")
def uninterrupted():
    return erode(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS)


@pytest.mark.parametrize("chunks", [1, 2, 3, 5, 8])
def test_a_resumed_run_ends_in_the_same_bytes(tmp_path, uninterrupted, chunks, monkeypatch):
    # many small chunks
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    *_, last = itertools.islice(
        simulate(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS), chunks
    )
    assert last.fraction < 1
    path = tmp_path / "run.npz"
    last.checkpoint.save(str(path))
    *_, end = resume(Checkpoint.load(str(path)))
    result = end.terrain
    assert result.report["sha256"] == uninterrupted.report["sha256"]
    timing = {"seconds", "drops_per_second", "estimated_seconds"}
    for one, other in zip(result.report["steps"], uninterrupted.report["steps"], strict=True):
        assert {k: v for k, v in one.items() if k not in timing} == {
            k: v for k, v in other.items() if k not in timing
        }
    assert result.report["mass"] == uninterrupted.report["mass"]


def test_a_run_can_stop_between_two_steps(tmp_path, uninterrupted):
    for progress in simulate(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS):
        if progress.fraction == 0.5:
            progress.checkpoint.save(tmp_path / "run.npz")
    *_, end = resume(Checkpoint.load(tmp_path / "run.npz"))
    assert end.terrain.report["sha256"] == uninterrupted.report["sha256"]


def test_a_checkpoint_stays_what_it_is_while_its_run_goes_on(uninterrupted, monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    held = [
        one.checkpoint
        for one in simulate(TERRAIN, RECIPE, seed=5, edges="wrap", masks=MASKS)
        if one.fraction < 1
    ]
    for checkpoint in (held[1], held[len(held) // 2], held[-1]):
        *_, end = resume(checkpoint)
        assert end.terrain.report["sha256"] == uninterrupted.report["sha256"]
        assert [one["kind"] for one in end.terrain.report["steps"]] == ["droplet", "droplet"]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY"])
def test_a_file_that_is_no_checkpoint_is_refused(tmp_path, content):
    path = tmp_path / "run.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"run\.npz"):
        Checkpoint.load(path)


def test_a_checkpoint_of_another_recipe_is_refused(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    checkpoint = next(iter(simulate(TERRAIN, RECIPE))).checkpoint
    arrays = {name: array for name, array in checkpoint.arrays.items() if name != "step/_ground"}
    with pytest.raises(InputError, match="does not fit"):
        resume(Checkpoint(checkpoint.values, arrays))


@pytest.mark.fuzz
def test_no_checkpoint_of_a_stranger_does_harm():
    """Drops, fields, counts and values of every process are changed at random: a sentence or a run,
    never a crash.
    """
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.run.broken_checkpoints", "1", "12"],
        cwd=root,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr and "'refused'" in done.stdout and "'ran'" in done.stdout


@pytest.fixture(scope="module")
def stopped():
    """A stopped run with drops in flight."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
        hills = Terrain(
            fractal(100, 150, relief=300.0), 10.0, {"surface_color": np.full((100, 150, 3), 0.5)}
        )
        masks = {"hardness": np.full((100, 150), 0.3), "sediment": np.full((100, 150), 1.0)}
        *_, last = itertools.islice(simulate(hills, RECIPE, seed=5, edges="wrap", masks=masks), 3)
        return last.checkpoint


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *itertools.product((1, 2, 9), (-1e15, -1.0, 1e15 * 1e15, np.nan)),
        *itertools.product((5, 6, 7), (np.nan, 1e300)),
    ],
)
def test_drops_that_are_nowhere_on_the_terrain_are_refused(stopped, column, value):
    drops = stopped.arrays["step/_run/drops"].copy()
    assert len(drops) > 10
    drops[3, column] = value
    with pytest.raises(InputError, match="damaged in _run/drops"):
        resume(Checkpoint(stopped.values, {**stopped.arrays, "step/_run/drops": drops}))


@pytest.mark.parametrize(
    ("column", "most", "more"), [(8, 1.0, 1.001), *((at, 2.0**53, 2.0**53 + 2) for at in (9, 10))]
)
def test_water_steps_and_random_numbers_of_drops_begin_at_0_and_have_an_end(
    stopped, column, most, more
):
    """A drop begins with 1 of water; the others are counted as far as whole numbers go."""
    drops = stopped.arrays["step/_run/drops"].copy()
    for value in (0.0, most):
        drops[3, column] = value
        resume(Checkpoint(stopped.values, {**stopped.arrays, "step/_run/drops": drops}))
    drops[3, column] = more
    with pytest.raises(InputError, match="damaged in _run/drops"):
        resume(Checkpoint(stopped.values, {**stopped.arrays, "step/_run/drops": drops}))


def test_drops_of_more_numbers_than_there_are_or_more_than_have_started_are_refused(stopped):
    drops = stopped.arrays["step/_run/drops"]
    for wrong in (
        np.zeros((3, 200_000)),
        np.tile(drops, (99, 1)),
        drops[:, :-1],
        drops.ravel(),
        drops.view("i8"),
    ):
        with pytest.raises(InputError, match="damaged in _run/drops"):
            resume(Checkpoint(stopped.values, {**stopped.arrays, "step/_run/drops": wrong}))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step/_ground", np.inf),
        ("step/_ground", 1e25),
        ("step/_flow", np.nan),
        ("state/sediment", -1.0),
        ("state/elevation", np.nan),
        ("mask/hardness", 2.0),
        ("start/elevation", 1e10),
        ("step/_run/started", -5),
        ("step/_run/started", 10**9),
        ("step/_color", np.nan),
    ],
)
def test_numbers_that_no_terrain_has_are_refused_before_any_work(stopped, name, value):
    wrong = stopped.arrays[name].copy()
    wrong[(0,) * wrong.ndim] = value
    with pytest.raises(InputError, match=r"^[A-Z].*\.$"):
        resume(Checkpoint(stopped.values, {**stopped.arrays, name: wrong}))


@pytest.mark.parametrize(
    "changes",
    [
        {"number": 7},
        {"number": -1},
        {"number": 10**400},
        {"number": "1"},
        {"reports": [{}]},
        {"reports": 3},
        {"notes": [1]},
        {"volumes": [1.0]},
        {"volumes": ["a", "b", "c"]},
        {"seconds": None},
        {"spacing": []},
        {"spacing": [0, -1]},
        {"recipe": []},
        {"recipe": None},
        {"seed": "x"},
        {"edges": "round"},
        {"edges": []},
    ],
    ids=str,
)
def test_values_that_make_no_sense_are_refused(stopped, changes):
    with pytest.raises(InputError, match=r"^[A-Z].*\.$"):
        resume(Checkpoint({**stopped.values, **changes}, stopped.arrays))


@pytest.mark.parametrize("claim", [(2**40, 2**40), (40_000, 40_000)])
def test_gigabytes_in_a_small_file_are_refused_by_its_header(tmp_path, stopped, monkeypatch, claim):
    path = tmp_path / "run.npz"
    stopped.save(path)
    with zipfile.ZipFile(path, "a") as archive, archive.open("state/flow.npy", "w") as stream:
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": claim}
        )

    def unpacked(*_, **__):
        raise AssertionError("something was unpacked")

    monkeypatch.setattr(np.lib.format, "read_array", unpacked)
    with pytest.raises(InputError, match="not a checkpoint, or is damaged"):
        Checkpoint.load(path)


def test_what_would_not_fit_into_memory_is_refused_with_numbers(tmp_path, stopped, monkeypatch):
    path = tmp_path / "run.npz"
    stopped.save(path)
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: 1000)
    with pytest.raises(InputError, match=r"Reading .* needs about .* MB .* is free"):
        Checkpoint.load(path)


def test_a_checkpoint_that_cannot_be_written_leaves_the_one_before(tmp_path, stopped, monkeypatch):
    path = tmp_path / "run.npz"
    stopped.save(path)
    before = path.read_bytes()

    def full(stream, **_):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(InputError, match=r"run\.npz cannot be written: No space left on device"):
        stopped.save(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="pipes as other systems have them")
def test_a_pipe_is_no_checkpoint_to_wait_for(tmp_path):
    os.mkfifo(tmp_path / "run.npz")
    for path in (tmp_path / "run.npz", tmp_path):
        with pytest.raises(InputError, match=r"it is a (pipe|folder)"):
            Checkpoint.load(path)


@pytest.mark.parametrize("name", ["wind", "barchan_field"])
def test_a_wind_that_release_0_1_0_stopped_goes_on(name):
    """Particles that fly end where that release ended; its sines and exponentials were the
    machine's own. In the boundary layer high dunes move since, so no end is the same: nothing is
    lost.
    """
    folder = Path(__file__).parent / "release_0_1_0"
    stopped = Checkpoint.load(folder / f"{name}.npz")
    *_, end = resume(stopped)
    expected = np.load(folder / f"{name}_end.npy")
    start = stopped.arrays["start/elevation"]
    assert end.fraction == 1 and np.abs(end.terrain.elevation - start).mean() > 1.0
    mass = end.terrain.report["mass"]
    assert abs(mass["error"]) <= 1e-9 * mass["moved"]
    if name == "wind":
        np.testing.assert_allclose(end.terrain.elevation, expected, rtol=0, atol=1e-6)


def kept(path, **changes):
    """Checkpoint on disk; changes: to its values."""
    values = {"format": FORMAT, **changes}
    land = np.zeros((20, 30))
    np.savez_compressed(
        path, **{"values": np.array(json.dumps(values)), "start/elevation": land, "state/a": land}
    )
    return path


def refused(path):
    with pytest.raises(InputError) as caught:
        Checkpoint.load(path)
    return str(caught.value)


def test_an_empty_array_comes_back_from_a_file(tmp_path):
    arrays = {"start/elevation": np.zeros((20, 30)), "state/waiting": np.empty((0, 7), np.float32)}
    Checkpoint({}, arrays).save(tmp_path / "run.npz")
    found = Checkpoint.load(tmp_path / "run.npz").arrays["state/waiting"]
    assert found.shape == (0, 7) and found.dtype == np.float32


def test_a_checkpoint_of_another_version_says_that_it_is(tmp_path):
    assert Checkpoint.load(kept(tmp_path / "a.npz", seed=3)).values == {"seed": 3}
    assert "was made by another version of Terrain Erosion" in refused(
        kept(tmp_path / "b.npz", format=FORMAT + 1)
    )


def test_a_checkpoint_that_is_not_there_is_told_as_the_system_does(tmp_path):
    assert refused(tmp_path / "gone.npz").endswith(
        "gone.npz cannot be read: No such file or directory."
    )


def test_numbers_that_are_none_are_refused_in_a_checkpoint(tmp_path):
    assert "damaged" in refused(kept(tmp_path / "a.npz", seed=float("nan")))


def test_the_memory_of_a_checkpoint_is_asked_for_before_it_is_unpacked(tmp_path, monkeypatch):
    path = kept(tmp_path / "a.npz")
    with np.load(path) as arrays:
        needed = sum(array.nbytes for array in arrays.values())
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: needed)
    assert Checkpoint.load(path).arrays["state/a"].shape == (20, 30)
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: needed - 1)
    assert "of memory" in refused(path)


def test_a_small_checkpoint_that_claims_gigabytes_is_not_unpacked(tmp_path, monkeypatch):
    """20 × 30 cells allow for 720,896 numbers in each array: the limits are lowered to what that
    is.
    """
    path = tmp_path / "a.npz"
    Checkpoint(
        {}, {"start/elevation": np.zeros((20, 30)), "state/a": np.zeros(720_896, np.float32)}
    ).save(path)
    assert Checkpoint.load(path).arrays["state/a"].size == 720_896
    monkeypatch.setattr("erosion_addon.base.memory._PLENTY", 2 << 20)
    # zeros are packed to 196 or 207 a byte
    monkeypatch.setattr("erosion_addon.base.memory._DENSEST", 150)
    assert "MB of memory, although the file has only" in refused(path)


def test_a_checkpoint_packed_in_a_way_that_ours_are_not_is_refused(tmp_path):
    kept(tmp_path / "a.npz")
    with zipfile.ZipFile(tmp_path / "a.npz") as ours:
        members = {name: ours.read(name) for name in ours.namelist()}
    with zipfile.ZipFile(tmp_path / "b.npz", "w", zipfile.ZIP_LZMA) as other:
        for name, data in members.items():
            other.writestr(name, data)
    assert "damaged" in refused(tmp_path / "b.npz")


@pytest.mark.parametrize("names", [["state/a"], [f"state/{number}" for number in range(300)]])
def test_an_array_twice_and_hundreds_of_arrays_are_refused(tmp_path, names):
    path = kept(tmp_path / "a.npz")
    assert "state/a" in Checkpoint.load(path).arrays
    with zipfile.ZipFile(path, "a") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a name that is there already
        for name in names:
            with archive.open(f"{name}.npy", "w") as stream:
                np.save(stream, np.zeros((20, 30)))
    assert "damaged" in refused(path)


def test_a_text_longer_than_any_recipe_and_report_is_refused_in_a_checkpoint(tmp_path):
    assert "damaged" in refused(kept(tmp_path / "a.npz", note="x" * (1 << 20)))
    assert (
        Checkpoint.load(kept(tmp_path / "b.npz", note="x" * (1 << 19))).values["note"][:3] == "xxx"
    )
