# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion of a landscape by single commands, as farms run them, and the job type for Flamenco."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.base.lock import locked
from erosion_addon.landscape.erode import Alone, do_one, erode, prepare
from erosion_addon.landscape.tasks import WORK
from tests.cli.commandline import run
from tests.landscape.conftest import fractal

JOB_TYPE = Path(__file__).parents[2] / "examples" / "flamenco" / "terrain-erosion-landscape.js"

AUTHOR = """
const made = [];
const author = {
    Task: (name, type) => ({
        name, type, commands: [], needs: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) {
            if (!made.includes(task)) { throw new Error(`${name} comes before what it needs`); }
            this.needs.push(task.name);
        },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
"""
"""Stub of what Flamenco gives to job types."""


@pytest.mark.slow
def test_single_tasks_in_any_allowed_order_leave_the_bytes_of_one_run(landscape, recipe, tmp_path):
    there = erode(fractal(tmp_path / "there").folder, recipe, Alone(1), coarse=80)
    tasks = prepare(landscape.folder, recipe, coarse=80)
    waiting, done = list(tasks), set()
    while waiting:
        task = next(task for task in reversed(waiting) if done.issuperset(task.needs))
        waiting.remove(task)
        assert do_one(landscape.folder, task.name) == task.name
        done.add(task.name)
    stamps = {path: path.stat().st_mtime_ns for path in (landscape.folder / WORK).rglob("*.npy")}
    assert do_one(landscape.folder, str(len(tasks) - 1)) == tasks[-1].name  # it is done already
    assert stamps == {path: path.stat().st_mtime_ns for path in (landscape.folder / WORK).rglob("*.npy")}
    told = []
    here = erode(
        landscape.folder, recipe, Alone(), coarse=80, on_progress=lambda fraction, message: told.append(message)
    )
    assert here.manifest.layers == there.manifest.layers and told == []
    assert prepare(landscape.folder, recipe, coarse=80) == []


def test_tasks_that_cannot_run_say_why(landscape, recipe):
    with pytest.raises(InputError, match="is not prepared; run landscape tasks first"):
        do_one(landscape.folder, "coarse")
    tasks = prepare(landscape.folder, recipe, coarse=80)
    for name, sentence in (
        ("shape_x1_y0", "needs coarse, which is not done; run that one first"),
        ("../coarse", "There is no task"),
        (str(len(tasks)), "there are tasks 0 to"),
    ):
        with pytest.raises(InputError, match=sentence):
            do_one(landscape.folder, name)
    assert do_one(landscape.folder, "cover_x9_y9") == "cover_x9_y9"  # none of this recipe: nothing is to be done
    with locked(landscape.folder), pytest.raises(InputError, match="is being changed by process"):
        do_one(landscape.folder, "coarse")


@pytest.mark.slow
def test_a_task_whose_files_were_damaged_holds_up_those_after_it(landscape, recipe):
    prepare(landscape.folder, recipe, coarse=80)
    do_one(landscape.folder, "coarse")
    (landscape.folder / WORK / "coarse" / "elevation.npy").write_bytes(b"")
    with pytest.raises(InputError, match="needs coarse, which is not done; run that one first"):
        do_one(landscape.folder, "shape_x0_y0")
    do_one(landscape.folder, "coarse")
    assert do_one(landscape.folder, "shape_x0_y0") == "shape_x0_y0"


@pytest.mark.slow
def test_the_commands_print_tasks_and_do_them(landscape):
    few = ("--recipe", "alpine", "--set", "droplet.drops_per_cell=0.5", "uplift.years=20000", "--coarse", "80")
    told = run("landscape", "tasks", landscape.folder, *few)
    assert told.returncode == 0, told.stderr
    first, second, *_ = told.stdout.decode().splitlines()
    assert first == "0 coarse" and second == "1 shape_x0_y0 coarse"
    for name in ("coarse", "1"):
        assert run("landscape", "task", landscape.folder, name).returncode == 0
    assert (landscape.folder / WORK / "shape_x0_y0" / "elevation.npy").exists()


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_job_type_for_flamenco_has_all_tasks_in_an_order_that_works(tmp_path, recipe):
    landscape = fractal(tmp_path / "land", 80, (240, 320))
    settings = {"folder": str(landscape.folder), "rows": 3, "cols": 4, "recipe": "alpine"}
    settings |= {"seed": 7, "threads": 0, "python": "python3"}
    script = "\n".join(
        [
            AUTHOR,
            JOB_TYPE.read_text(encoding="utf-8"),
            f"const settings = {json.dumps(settings)};",
            "compileJob({ settings, addTask(task) { made.push(task); } });",
            "console.log(JSON.stringify({ made, keys: JOB_TYPE.settings.map((setting) => setting.key) }));",
        ]
    )
    told = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    found = json.loads(told.stdout)
    assert set(found["keys"]) == set(settings)
    made = {task["name"]: task for task in found["made"]}
    tasks = prepare(landscape.folder, recipe, coarse=80)
    assert {task.name for task in tasks} == made.keys() - {"prepare", "complete"}
    before = {}
    for name, task in made.items():
        before[name] = set(task["needs"]).union(*(before[need] for need in task["needs"]))
    for task in tasks:
        assert before[task.name] >= {"prepare", *task.needs}
        assert made[task.name]["commands"][0]["parameters"]["args"][2:] == [
            "landscape",
            "task",
            str(landscape.folder),
            task.name,
        ]
    assert before["complete"] == made.keys() - {"complete"}
    assert made["complete"]["commands"][0]["parameters"]["args"][3:] == [
        "erode",
        str(landscape.folder),
        "--recipe",
        "alpine",
        "--seed",
        "7",
    ]
