# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories of a Blender session: what an artist may do with terrains, in any order, beside a plain
model of what must hold. `make histories`, or `python -m tests.histories --count 3000`.

After each act heights are what the acts so far make of them, to the byte; the terrain before
erosion comes back until Apply; topology, plan, UVs, material, layers and notes of the artist are
untouched; companions follow; nothing of ours stays where it was taken away.
"""

import argparse
import copy
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from mathutils import Vector

import erosion_addon
from erosion_addon import Recipe
from erosion_addon.scene.companions import companions
from erosion_addon.scene.derived import update_derived
from erosion_addon.scene.original import original
from erosion_addon.scene.run import job
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object, shown_positions, vertex_heights
from erosion_addon.scene.worker import worker_process
from erosion_addon.terrain.fields import BAKED
from erosion_addon.ui.recipe import steps
from tests.scene.jobs import wait_for
from tests.terrains import fractal

ROWS = 14
COLS = 18
CELL = 10.0
PORTION = 50
"""Histories after which it is said how many there were, for runs that are ended early."""

MOST_TERRAINS = 3
MOST_UNDOS = 20
"""Blender keeps 32 undo steps."""

MOST_BEFORE = original.MOST_ASIDE + 1

SHORT = Recipe.load("arcane").with_values({"droplet.drops_per_cell": 0.3})
LONG = Recipe("long", SHORT.with_values({"droplet.drops_per_cell": 1000.0}).steps * 64)
MIDDLE = SHORT.with_values({"droplet.drops_per_cell": 200.0})
NUMBER = st.integers(0, 2)


@dataclass
class Land:
    """What must hold for a terrain. Heights are local, float32, as bytes.

    before: what each further Restore brings back, the next one last. eroded: whether the heights
    are what the last run left. paused: whether that run can go on. followers: kind of a companion →
    scale of the terrain when it was made.
    """

    heights: bytes
    others: tuple[Any, ...]
    seed: int = 0
    before: list[bytes] = field(default_factory=list)
    eroded: bool = False
    paused: bool = False
    followers: dict[str, float] = field(default_factory=dict)


def heights_of(obj: bpy.types.Object) -> bytes:
    """Local heights of a terrain."""
    return vertex_heights(obj.data).tobytes()


def others_of(obj: bpy.types.Object) -> tuple[Any, ...]:
    """All of a terrain that no act of ours may change."""
    mesh = obj.data
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    uv = np.empty(2 * len(mesh.loops), np.float32)
    mesh.uv_layers[0].uv.foreach_get("vector", uv)
    mine = np.empty(len(mesh.vertices), np.float32)
    mesh.attributes["mine"].data.foreach_get("value", mine)
    arrays = tuple(values.tobytes() for values in (grid.positions(mesh)[:, :2], corners, uv, mine))
    return (
        *arrays,
        tuple(material.name for material in mesh.materials),
        mesh["note"],
        *obj.location,
    )


def shape_of(follower: bpy.types.Object) -> list[bytes]:
    """The places of the vertices of a companion and its children."""
    return [
        grid.positions(obj.data).tobytes()
        for obj in (follower, *follower.children)
        if obj.type == "MESH"
    ]


def asked_of(obj: bpy.types.Object) -> tuple[Any, ...]:
    """Masks and strokes of a terrain, on which a result depends as on its seed."""
    mask = obj.erosion.hardness
    strokes = [
        (item.painted, tuple(kept.data for kept in item.strokes)) for item in obj.erosion.steps
    ]
    return mask.source, mask.layer, *strokes


class Session(RuleBasedStateMachine):
    """One history."""

    def __init__(self) -> None:
        super().__init__()
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        self.folder = Path(tempfile.mkdtemp(prefix="histories"))
        self.lands: dict[str, Land] = {}
        self.results: dict[tuple[object, ...], bytes] = {}
        self.made = 0
        self.past: list[dict[str, Land]] = []
        self.here = -1
        self._new_terrain()
        self._is_done()

    def teardown(self) -> None:
        job.clear()
        shutil.rmtree(self.folder)

    # What is there

    def pick(self, number: int) -> tuple[bpy.types.Object, Land]:
        """One of the terrains, active and the only one selected."""
        name = sorted(self.lands)[number % len(self.lands)]
        obj = bpy.data.objects[name]
        for other in bpy.context.selected_objects:
            other.select_set(False)
        bpy.context.view_layer.objects.active = obj
        obj.select_set(True)
        return obj, self.lands[name]

    def _new_terrain(self) -> None:
        self.made += 1
        heights = fractal(ROWS, COLS, 120.0, seed=self.made)
        obj = make_grid_object("Land", heights, (CELL, CELL), bpy.context.scene.collection)
        obj.name = f"Land {self.made}"
        mesh = obj.data
        mesh.attributes.new("mine", "FLOAT", "POINT").data.foreach_set(
            "value", np.arange(ROWS * COLS, dtype="f")
        )
        mesh.materials.append(bpy.data.materials.new("Mine"))
        mesh["note"] = "Mine"
        steps.fill(obj.erosion, SHORT)
        self.lands[obj.name] = Land(heights_of(obj), others_of(obj))

    def _is_done(self) -> None:
        """An act is done: it becomes an undo step."""
        bpy.ops.ed.undo_push(message="Act")
        self.past = [*self.past[: self.here + 1], copy.deepcopy(self.lands)][-MOST_UNDOS:]
        self.here = len(self.past) - 1

    def _is_sculpted(self, obj: bpy.types.Object, land: Land) -> None:
        """The artist has changed heights; companions, which follow runs alone, go."""
        land.heights = heights_of(obj)
        land.eroded = False
        land.paused = False
        land.followers = {}
        for kind in companions.KINDS:
            update_derived.remove_companions(obj, kind)
        self._is_done()

    def _keeps_before(self, land: Land) -> None:
        """A result is about to be written: what Restore brings back."""
        if not land.eroded:
            land.before = [*land.before, land.heights]
            if len(land.before) > MOST_BEFORE:
                del land.before[1]

    def _pauses(self, run: job.Job, turns: int) -> None:
        """A run is paused after some turns of work."""
        wait_for(run, lambda: run.state not in ("starting", "compiling"))
        for _ in range(turns):
            run.poll(0.005)
        run.pause()
        self._ends(run)

    def _ends(self, run: job.Job) -> None:
        """A run comes to its end, or its pause."""
        wait_for(run, lambda: run.ended)
        assert run.state == "done", run.sentence
        job.clear()

    # What an artist does

    @precondition(lambda self: len(self.lands) < MOST_TERRAINS)
    @rule()
    def add(self) -> None:
        """Another terrain."""
        self._new_terrain()
        self._is_done()

    @rule(number=NUMBER, seed=st.integers(0, 2))
    def run(self, number: int, seed: int) -> None:
        """Run, from the terrain before erosion, or from an edited one, which Restore brings back
        first.
        """
        obj, land = self.pick(number)
        land.seed = obj.erosion.seed = seed
        self._keeps_before(land)
        assert bpy.ops.erosion.run() == {"FINISHED"}
        key = (land.before[-1], seed, *obj.scale, *asked_of(obj))
        land.heights = self.results.setdefault(key, heights_of(obj))
        land.eroded = True
        land.paused = False
        self._is_done()

    @rule(number=NUMBER, polls=st.integers(0, 3), resumes=st.booleans())
    def cancel(self, number: int, polls: int, resumes: bool) -> None:
        """Run, or go on with a paused run, and cancel: nothing has happened."""
        obj, land = self.pick(number)
        run = job.resume(obj) if resumes and land.paused else job.start(obj, LONG, {})
        for _ in range(polls):
            run.poll(0.02)
        job.clear()

    @rule(
        number=NUMBER,
        other=NUMBER,
        act=st.sampled_from(
            ["undo", "redo", "rename", "delete", "duplicate", "sculpt", "scale", "open"]
        ),
    )
    def work_during_a_run(self, number: int, other: int, act: str) -> None:
        """Run with the work seen on the mesh, do something else meanwhile, and cancel."""
        obj, _land = self.pick(number)
        run = job.start(obj, LONG, {})
        run.viewer.shows = True
        for _ in range(4):
            run.poll(0.02)
        match act:
            case "undo":
                self.undo()
            case "redo":
                self.redo()
            case "rename":
                self.rename(other)
            case "delete" if len(self.lands) > 1:
                self.delete(other)
            case "duplicate" if len(self.lands) < MOST_TERRAINS:
                self.duplicate(other)
            case "sculpt" if other % len(self.lands) != number % len(self.lands):
                self.sculpt(other, 20)
            case "scale":
                self.scale(other, 2.0)
            case "open":
                self.save_and_open(False)
        if not run.ended:
            run.poll(0.02)
        job.clear()

    @rule()
    def switch_off_and_on(self) -> None:
        """Switch the extension off and on again."""
        erosion_addon.unregister()
        erosion_addon.register()

    @rule(number=NUMBER, bakes=st.booleans())
    def light(self, number: int, bakes: bool) -> None:
        """Bake light into the terrain, or take it away."""
        self.pick(number)
        if bakes:
            assert bpy.ops.erosion.light_bake() == {"FINISHED"}
        elif bpy.ops.erosion.light_remove.poll():
            bpy.ops.erosion.light_remove()
        else:
            return
        self._is_done()

    @rule(number=NUMBER, lift=st.sampled_from([3.0, 8.0]))
    def edit(self, number: int, lift: float) -> None:
        """Lift some vertices in Edit Mode."""
        obj, land = self.pick(number)
        chosen = np.arange(ROWS * COLS) % 7 == 0
        obj.data.polygons.foreach_set("select", np.zeros(len(obj.data.polygons), bool))
        obj.data.edges.foreach_set("select", np.zeros(len(obj.data.edges), bool))
        obj.data.vertices.foreach_set("select", chosen)
        bpy.context.tool_settings.mesh_select_mode = (True, False, False)
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.transform.translate(value=(0.0, 0.0, lift * obj.scale[0]))
        bpy.ops.object.mode_set(mode="OBJECT")
        self._is_sculpted(obj, land)

    @rule(number=NUMBER)
    def pause(self, number: int) -> None:
        """Pause a run."""
        obj, land = self.pick(number)
        self._keeps_before(land)
        self._pauses(job.start(obj, LONG, {}), 0)
        land.heights = heights_of(obj)
        land.eroded = True
        land.paused = True
        self._is_done()

    @rule(number=NUMBER, turns=st.integers(0, 3))
    def pause_and_go_on(self, number: int, turns: int) -> None:
        """Pause a run and resume it to its end: it leaves the same, wherever it was paused."""
        obj, land = self.pick(number)
        self._keeps_before(land)
        self._pauses(job.start(obj, MIDDLE, {}), turns)
        if original.is_paused(obj.data):
            self._ends(job.resume(obj))
        key = (land.before[-1], "middle", *obj.scale)
        land.heights = self.results.setdefault(key, heights_of(obj))
        land.eroded = True
        land.paused = False
        self._is_done()

    @rule(number=NUMBER, seed=st.integers(0, 2), count=st.integers(1, 3))
    def run_with_frames(self, number: int, seed: int, count: int) -> None:
        """Run and keep frames, which changes nothing of the result."""
        obj, _land = self.pick(number)
        self.made += 1
        folder = self.folder / f"frames {self.made}"
        frames = obj.erosion.frames
        frames.keep, frames.by, frames.count, frames.folder = True, "NUMBER", count, str(folder)
        try:
            self.run(number, seed)
        finally:
            frames = bpy.data.objects[obj.name].erosion.frames
            frames.keep = False
        assert len(list(folder.glob("elevation_*.exr"))) == count + 1

    @rule(number=NUMBER, there=st.booleans())
    def mask(self, number: int, there: bool) -> None:
        """Let half of the terrain be hard, or all of it soft."""
        obj, _land = self.pick(number)
        mask = obj.erosion.hardness
        if there:
            group = obj.vertex_groups.get("Half") or obj.vertex_groups.new(name="Half")
            group.add(range(ROWS * COLS // 2), 0.8, "REPLACE")
            mask.source = "VERTEX_GROUP"
            mask.layer = "Half"
        else:
            mask.source = "NONE"
        self._is_done()

    @rule(number=NUMBER, kind=st.sampled_from(["raise", "talus", "smooth"]))
    def stroke(self, number: int, kind: str) -> None:
        """A stroke of the brush: a result, as of a run."""
        obj, land = self.pick(number)
        brush = bpy.context.scene.erosion_brush
        brush.kind = kind
        brush.radius = 40.0
        places = [tuple(obj.matrix_world @ Vector((30.0 * x, 5.0, 0.0))) for x in (-1.0, 0.0, 1.0)]
        dabs = [{"name": "", "location": place, "pressure": 1.0} for place in places]
        try:
            assert bpy.ops.erosion.brush_stroke(stroke=dabs) == {"FINISHED"}
        except RuntimeError as refused:
            # strokes are kept that the ground does not show, after Restore or an edit
            assert (
                "was changed after its strokes were painted" in str(refused) and asked_of(obj)[2:]
            )
            assert heights_of(obj) == land.heights
            return
        if not land.before:  # a stroke goes on from a result, also from one that was edited
            self._keeps_before(land)
        land.heights = heights_of(obj)
        land.eroded = True
        land.paused = False
        self._is_done()

    @rule(number=NUMBER)
    def look(self, number: int) -> None:
        """Give the terrain the material of its recipe; all else stays the artist's."""
        obj, land = self.pick(number)
        assert bpy.ops.erosion.material_add() == {"FINISHED"}
        found = others_of(obj)
        materials = land.others[4]
        assert found[:4] == land.others[:4] and found[5:] == land.others[5:]
        assert set(materials) <= set(bpy.data.materials.keys())
        land.others = found
        self._is_done()

    @rule(number=NUMBER)
    def restore(self, number: int) -> None:
        """Restore, where there is something to bring back."""
        _obj, land = self.pick(number)
        assert bpy.ops.erosion.restore.poll() == bool(land.before)
        if land.before:
            assert bpy.ops.erosion.restore() == {"FINISHED"}
            land.heights = land.before.pop()
            land.eroded = False
            land.paused = False
            self._is_done()

    @rule(number=NUMBER, remove_maps=st.booleans())
    def apply(self, number: int, remove_maps: bool) -> None:
        """Apply, after which there is no way back but undo."""
        _obj, land = self.pick(number)
        assert bpy.ops.erosion.apply.poll() == bool(land.before)
        if land.before:
            assert bpy.ops.erosion.apply(remove_maps=remove_maps) == {"FINISHED"}
            land.before = []
            land.eroded = False
            land.paused = False
            self._is_done()

    @rule(number=NUMBER)
    def look_at_before(self, number: int) -> None:
        """Show the terrain before erosion, and the one after it again."""
        obj, land = self.pick(number)
        if land.before:
            bpy.ops.erosion.before()
            assert shown_positions(obj.data)[:, 2].tobytes() == land.before[-1]
            assert heights_of(obj) == land.heights, "which stay the terrain's own"
            bpy.ops.erosion.before()
            assert shown_positions(obj.data)[:, 2].tobytes() == land.heights

    @rule(number=NUMBER, start=st.integers(0, ROWS * COLS - 40))
    def sculpt(self, number: int, start: int) -> None:
        """Raise some vertices."""
        obj, land = self.pick(number)
        place = grid.positions(obj.data)
        place[start : start + 40, 2] += np.float32(4.5)
        obj.data.attributes["position"].data.foreach_set("vector", place.ravel())
        obj.data.update()
        self._is_sculpted(obj, land)

    @rule(number=NUMBER)
    def rename(self, number: int) -> None:
        """Another name."""
        obj, land = self.pick(number)
        self.made += 1
        del self.lands[obj.name]
        obj.name = f"Hills {self.made}"
        self.lands[obj.name] = land
        self._is_done()

    @rule(number=NUMBER, scale=st.sampled_from([0.5, 2.0]))
    def scale(self, number: int, scale: float) -> None:
        """Scale the object, not the mesh."""
        obj, _land = self.pick(number)
        if 0.1 < obj.scale[0] * scale < 10.0:
            obj.scale = obj.scale * scale
            bpy.context.view_layer.update()
            self._is_done()

    @precondition(lambda self: len(self.lands) < MOST_TERRAINS)
    @rule(number=NUMBER)
    def duplicate(self, number: int) -> None:
        """Duplicate a terrain alone."""
        _obj, land = self.pick(number)
        bpy.ops.object.duplicate()
        self.made += 1
        twin = bpy.context.object
        twin.name = f"Twin {self.made}"
        self.lands[twin.name] = copy.deepcopy(land)
        self.lands[twin.name].followers = {}
        self._is_done()

    @precondition(lambda self: len(self.lands) > 1)
    @rule(number=NUMBER)
    def delete(self, number: int) -> None:
        """Delete a terrain and what belongs to it."""
        obj, _land = self.pick(number)
        del self.lands[obj.name]
        for child in obj.children_recursive:
            child.select_set(True)
        bpy.ops.object.delete()
        self._is_done()

    @rule(number=NUMBER, kind=st.sampled_from(["lod", "lakes", "sea"]))
    def accompany(self, number: int, kind: str) -> None:
        """Add a companion, or make an old one anew: as it followed, so it is made."""
        obj, land = self.pick(number)
        old = [shape_of(follower) for follower in companions.find(obj, kind)]
        update_derived.remove_companions(obj, kind)
        try:
            match kind:
                case "lod":
                    bpy.ops.erosion.lod_add()
                case "lakes":
                    bpy.ops.erosion.lakes_add(lake_area=200.0, lake_depth=0.5)
                case "sea":
                    bpy.ops.erosion.sea_add(sea_level=60.0)
        except RuntimeError:  # there is no lake, or no land
            assert kind != "lod"
            assert not any(b"".join(shape) for shape in old) or kind == "sea"
            land.followers.pop(kind, None)
            self._is_done()
            return
        if old and land.followers[kind] == obj.scale[0]:
            assert [shape_of(follower) for follower in companions.find(obj, kind)] == old
        land.followers[kind] = obj.scale[0]
        self._is_done()

    @rule()
    def undo(self) -> None:
        """Ctrl-Z."""
        if self.here > 0:
            bpy.ops.ed.undo()
            self.here -= 1
            self.lands = copy.deepcopy(self.past[self.here])

    @rule()
    def redo(self) -> None:
        """Ctrl-Shift-Z."""
        if self.here < len(self.past) - 1:
            bpy.ops.ed.redo()
            self.here += 1
            self.lands = copy.deepcopy(self.past[self.here])

    @rule(is_seen_before=st.booleans())
    def save_and_open(self, is_seen_before: bool) -> None:
        """Save the file and open it again, also while the terrain before erosion is shown."""
        _obj, land = self.pick(0)
        if is_seen_before and land.before:
            bpy.ops.erosion.before()
        path = str(self.folder / "land.blend")
        bpy.ops.wm.save_as_mainfile(filepath=path)
        bpy.ops.wm.open_mainfile(filepath=path)
        self.past = []
        self.here = -1
        self._is_done()

    # What must hold

    @invariant()
    def holds(self) -> None:
        """All terrains are as the model says, and there is nothing else."""
        here = {
            obj.name
            for obj in bpy.context.scene.objects
            if companions.KIND not in obj and obj.parent is None
        }
        assert here == set(self.lands)
        for name, land in self.lands.items():
            obj = bpy.data.objects[name]
            assert heights_of(obj) == land.heights, f"heights of {name}"
            assert others_of(obj) == land.others, f"what is the artist's in {name}"
            assert original.has_source(obj.data) == bool(land.before)
            assert original.is_untouched_result(obj.data) == land.eroded
            assert (original.is_paused(obj.data) and land.eroded) == land.paused
            if land.before:
                assert original.source_heights(obj.data).tobytes() == land.before[-1]
            else:
                assert not set(attributes.ours(obj.data)) - set(BAKED)
            assert {kind for kind in companions.KINDS if companions.find(obj, kind)} == set(
                land.followers
            )


def run_histories(count: int, acts: int, *, derandomize: bool) -> None:
    """Run so many histories of so many acts; AssertionError with the shortest one that fails."""
    chosen = settings(
        max_examples=count,
        stateful_step_count=acts,
        deadline=None,
        derandomize=derandomize,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    run_state_machine_as_test(Session, settings=chosen)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="histories")
    parser.add_argument("--acts", type=int, default=25, help="acts of a history at most")
    given = parser.parse_args()
    erosion_addon.register()
    began = time.monotonic()
    for done in range(0, given.count, PORTION):
        count = min(PORTION, given.count - done)
        run_histories(count, given.acts, derandomize=False)
        seconds = time.monotonic() - began
        print(
            f"{done + count} histories of {given.acts} acts: 0 failures, {seconds:.0f} s",
            flush=True,
        )
    worker_process.stop()
    sys.stdout.flush()
    os._exit(0)  # Blender 4.5 as a Python module may hang at its end, see conftest.py
