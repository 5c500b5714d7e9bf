# SPDX-License-Identifier: GPL-3.0-or-later
"""The generator `simulate`: progress, early finish, same bytes, unchanged input."""

import importlib

import numpy as np
import pytest

from erosion_addon import InputError, Recipe, Step, Terrain, erode, simulate
from erosion_addon.base.parameters import specifications
from erosion_addon.processes.droplet.parameters import DropletParameters
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.run.checkpoint import Checkpoint
from erosion_addon.run.simulation import OutOfBoundsError, resume
from tests.terrains import fractal


def rain(*steps, **others):
    """A recipe of droplet steps with these parameters."""
    return Recipe(
        "rain",
        tuple(Step("droplet", DropletParameters(**step)) for step in steps or ({},)),
        **others,
    )


@pytest.fixture
def short_chunks(monkeypatch):
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)


@pytest.fixture(scope="module")
def hills():
    return Terrain(fractal(24, 30, 120.0), 10.0)


def balanced(report):
    return abs(report["mass"]["error"]) <= 1e-9 * report["mass"]["moved"]


def test_progress_rises_to_1_and_says_where_it_is(hills, short_chunks):
    seen = list(simulate(hills, rain({}, {})))
    fractions = [progress.fraction for progress in seen]
    assert (
        len(seen) > 10
        and fractions == sorted(fractions)
        and fractions[-1] == 1.0
        and fractions[0] > 0
    )
    assert {progress.step for progress in seen} == {"droplet"}
    messages = [progress.message for progress in seen]
    assert (messages[0], messages[-1]) == ("Droplets, step 1 of 2", "Droplets, step 2 of 2")


def test_erode_is_simulate_to_its_end(hills):
    *_, last = simulate(hills, rain(), seed=4, edges="wrap")
    assert (
        last.terrain.report["sha256"] == erode(hills, rain(), seed=4, edges="wrap").report["sha256"]
    )


def test_the_input_is_never_changed(hills):
    fields = {
        "sediment": np.full(hills.shape, 0.5),
        "surface_color": np.full((*hills.shape, 3), 0.5),
    }
    terrain = Terrain(hills.elevation, 10.0, fields)
    masks = {
        "strength": np.full(hills.shape, 0.5, np.float32),
        "rain": np.ones(hills.shape, np.float32),
    }
    arrays = [terrain.elevation, *terrain.fields.values(), *masks.values()]
    before = [array.tobytes() for array in arrays]
    after = erode(terrain, rain({}, {}), masks=masks)
    assert [array.tobytes() for array in arrays] == before
    assert not any(
        np.shares_memory(after[name], array) for name in after.fields for array in arrays
    )
    assert terrain.report is None


def test_the_same_again_gives_the_same_bytes(hills):
    hashes = [erode(hills, rain({}, {}), seed=1).report["sha256"] for _ in range(3)]
    assert hashes[0] == hashes[1] == hashes[2]


def test_the_length_of_chunks_changes_no_byte(hills, monkeypatch):
    hashes = []
    for seconds in (1e-9, 0.1, 1e9):
        monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", seconds)
        hashes.append(erode(hills, rain()).report["sha256"])
    assert hashes[0] == hashes[1] == hashes[2]


def test_looking_at_the_terrain_on_the_way_changes_no_byte(hills, short_chunks):
    looked = [progress.terrain.report["sha256"] for progress in simulate(hills, rain())]
    assert looked[-1] == erode(hills, rain()).report["sha256"]
    assert looked[0] != looked[-1]


def test_a_snapshot_does_not_change_afterwards(hills, short_chunks):
    run = simulate(hills, rain())
    terrain = next(run).terrain
    before = {name: terrain[name].tobytes() for name in ("elevation", *terrain.fields)}
    for _ in run:
        pass
    assert {name: terrain[name].tobytes() for name in before} == before


@pytest.mark.parametrize("edges", ["open", "closed", "wrap"])
def test_stopped_early_mass_is_balanced_and_the_report_says_so(hills, short_chunks, edges):
    run = simulate(hills, rain({}, {}), edges=edges)
    for number, progress in enumerate(run):
        if number in (0, 7, 60):
            report = progress.terrain.report
            assert balanced(report) and report["mass"]["moved"] > 0
            assert 0 < report["finished"] < 1
            assert len(report["steps"]) == (1 if progress.fraction <= 0.5 else 2)
    run = simulate(hills, rain())
    next(run)
    run.close()


def test_another_seed_gives_another_terrain_and_so_does_another_place_in_the_recipe(hills):
    first = erode(hills, rain(), seed=1)
    other = erode(hills, rain(), seed=2)
    assert not np.array_equal(first.elevation, other.elevation)
    # Two equal steps draw different drops: the second starts from other cells than the first did.
    flow = erode(hills, rain({"maximum_path": 0.01}, {"maximum_path": 0.01})).fields["flow"]
    once = erode(hills, rain({"maximum_path": 0.01})).fields["flow"]
    assert not np.array_equal(flow, 2 * once)


def test_seed_and_edges_are_the_recipes_unless_given(hills):
    recipe = rain(seed=5, edges="closed")
    report = erode(hills, recipe).report
    assert (report["seed"], report["edges"]) == (5, "closed")
    assert erode(hills, rain(), seed=5, edges="closed").report["sha256"] == report["sha256"]


def test_steps_follow_one_another(hills):
    """Each step goes on from what the one before left, and moved volumes add up."""
    both = erode(hills, rain({}, {"capacity": 3.0}), edges="open").report
    first = erode(hills, rain({}), edges="open").report
    assert both["mass"]["moved"] > first["mass"]["moved"]
    assert both["mass"]["exported"] > first["mass"]["exported"] and balanced(both)


def test_a_step_that_is_switched_off_takes_no_part(hills):
    off = Step("droplet", DropletParameters(capacity=1.0), enabled=False)
    on = Step("droplet", DropletParameters())
    report = erode(hills, Recipe("x", (on, off))).report
    assert len(report["steps"]) == 1 and report["sha256"] == erode(hills, rain()).report["sha256"]
    with pytest.raises(InputError, match="All steps of the recipe x are switched off"):
        simulate(hills, Recipe("x", (off,)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**31}, "seed must be"),
        ({"seed": 0.5}, "seed must be"),
        ({"edges": "soft"}, "edges must be one of open, closed, wrap"),
        ({"masks": {"snow": np.ones((24, 30))}}, "no mask snow"),
        ({"masks": {"strength": np.full((24, 30), 2.0)}}, "strength mask"),
        ({"masks": {"rain": np.zeros((24, 30))}}, "zero everywhere"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(hills, settings, words):
    with pytest.raises(InputError, match=words):
        simulate(hills, rain(), **settings)


def test_a_resampled_mask_is_noted_in_the_report(hills):
    report = erode(hills, rain(), masks={"strength": np.ones((5, 5))}).report
    assert report["notes"] == ["The strength mask was resampled from 5 × 5 to 24 × 30."]


def test_a_second_run_goes_on_from_the_first(hills):
    first = erode(hills, rain())
    second = erode(first, rain(), seed=1)
    assert balanced(second.report)
    assert second["sediment"].min() >= 0


@pytest.mark.parametrize("feature_size", [0.0, 20.0])
@pytest.mark.parametrize("kind", ["droplet", "rill"])
def test_a_run_that_is_ended_early_lays_its_load_down_where_it_belongs(
    kind, feature_size, monkeypatch
):
    """Droplets are full of what they have dug: laid down where they are just now, it stands up in
    spikes as high as the whole terrain (196 m to 355 m with these numbers); on their way down they
    make fans of 30 m to 60 m.
    """
    given = {"kind": kind, "drops_per_cell": 50.0, "feature_size": feature_size}
    recipe = Recipe.from_dict({"name": "long", "edges": "closed", "step": [given]})
    before = fractal(128, 128, 300.0, seed=3)
    monkeypatch.setattr("erosion_addon.processes.shared.state.CHUNK_SECONDS", 1e-9)
    for progress in simulate(Terrain(before, cell_size=10.0), recipe):
        if progress.work[0] >= 600:
            break
    progress.drain()
    after = progress.terrain
    assert progress.fraction < 0.5 and after.report["steps"][0]["drops"] < 50 * 128**2
    assert 1.0 < (after.elevation - before).max() < 100.0
    if kind == "droplet":  # the other makes and destroys material
        mass = after.report["mass"]
        assert abs(mass["error"]) <= 1e-9 * mass["moved"]


def test_wear_and_deposition_add_up_where_that_is_asked_for_also_after_a_pause(
    hills, short_chunks, tmp_path
):
    first = erode(hills, rain())
    fresh = erode(first, rain(), seed=5)
    *_, last = simulate(first, rain(), seed=5, adds_up=True)
    both = last.terrain
    for name in ("wear", "deposition"):
        change = both[name].astype(float) - first[name]
        np.testing.assert_allclose(np.maximum(change, 0), fresh[name], rtol=0, atol=1e-4)
    lost = hills.elevation - (both.elevation - both["sediment"])
    np.testing.assert_allclose(both["wear"], np.maximum(lost, 0), rtol=0, atol=1e-4)
    np.testing.assert_allclose(
        both["deposition"], np.maximum(both["sediment"], 0), rtol=0, atol=1e-4
    )
    assert both.elevation.tobytes() == fresh.elevation.tobytes()
    paused = next(simulate(first, rain(), seed=5, adds_up=True))
    paused.checkpoint.save(tmp_path / "run.npz")
    *_, end = resume(Checkpoint.load(tmp_path / "run.npz"))
    assert end.terrain["wear"].tobytes() == both["wear"].tobytes()


@pytest.mark.parametrize(
    ("kind", "module", "method", "array"),
    [
        ("uplift", "uplift.step", "_raise", "_heights"),
        ("uplift", "uplift.step", "_cut", "_heights"),
        ("talus", "shared.slides", "_pass", "_loose"),
    ],
)
def test_heights_that_are_no_numbers_end_the_run_with_the_step_and_the_parameter(
    hills, kind, module, method, array, monkeypatch
):
    owner = importlib.import_module(f"erosion_addon.processes.{module}")
    owner = owner.UpliftStep if kind == "uplift" else owner.Slides
    work = getattr(owner, method)

    def spoil(step, *given):
        done = work(step, *given)
        getattr(step, array).reshape(-1)[500] = np.nan
        return done

    monkeypatch.setattr(owner, method, spoil)
    far = {"uplift": {"hillslope_length": 1e5}, "talus": {"reach": 1e5}}[kind]
    name = next(iter(far))
    soft = PROCESSES[kind].parameters
    ends = specifications(soft)[name].soft_range
    with pytest.raises(InputError) as refused:
        erode(
            hills,
            Recipe.from_dict({"name": "one", "step": [{"kind": kind, "name": "Spoiled", **far}]}),
        )
    assert str(refused.value) == (
        f"Spoiled makes heights that are not finite or beyond ±1e+09 m; "
        f"keep to the ranges of the sliders: {name} ({ends[0]:g} … {ends[1]:g})."
    )


def test_a_step_that_leaves_the_bounds_of_heights_is_named():
    rising = {"kind": "uplift", "uplift": 1000.0, "years": 1e9}
    with pytest.raises(InputError, match=r"sliders: years \(0 … 2e\+06\), uplift \(0 … 2\)\."):
        erode(
            Terrain(np.full((9, 9), 5e8), 10.0),
            Recipe.from_dict({"name": "one", "step": [rising]}),
            edges="closed",
        )


RISING = {"kind": "uplift", "uplift": 1000.0, "years": 1e9}
"""A step that lifts land of 500,000 km beyond the bounds of heights."""


def test_the_run_of_the_steps_before_one_that_leaves_the_bounds_is_there():
    land = Terrain(np.add.outer(np.arange(12.0), np.arange(12.0)) * 20 + 5e8, 10.0)
    before = {"kind": "talus", "rock_angle": 30.0, "sediment_angle": 30.0}
    with pytest.raises(OutOfBoundsError) as refused:
        erode(land, Recipe.from_dict({"name": "two", "step": [before, RISING]}), edges="closed")
    expected = erode(land, Recipe.from_dict({"name": "one", "step": [before]}), edges="closed")
    progress = refused.value.progress
    assert (
        progress.fraction == 1
        and progress.terrain.elevation.tobytes() == expected.elevation.tobytes()
    )
    assert progress.terrain.report["notes"][-1].endswith("The result is that of the steps before.")
    for resumed in resume(progress.checkpoint):
        last = resumed
    assert last.fraction == 1 and last.terrain.elevation.tobytes() == expected.elevation.tobytes()


def test_before_the_first_step_there_is_nothing_to_keep():
    with pytest.raises(OutOfBoundsError) as refused:
        erode(
            Terrain(np.full((9, 9), 5e8), 10.0),
            Recipe.from_dict({"name": "one", "step": [RISING]}),
            edges="closed",
        )
    assert refused.value.progress is None
