# SPDX-License-Identifier: GPL-3.0-or-later
"""Small landscapes for the tests."""

import pytest

from erosion_addon.landscape import make as makers
from erosion_addon.landscape.erode import Alone
from erosion_addon.landscape.storage.manifest import Manifest
from erosion_addon.landscape.tasks import run
from erosion_addon.recipe.recipe import Recipe

QUICK = (
    "--recipe",
    "alpine",
    "--set",
    "droplet.drops_per_cell=0.1",
    "uplift.years=2000",
    "--coarse",
    "80",
)
"""Options of a command that erodes the landscape of `fractal` quickly, as `recipe` does."""


class EndsError(Exception):
    pass


class Ending:
    """Workers in this process that fail after a number of tasks."""

    def __init__(self, after):
        self.after = after

    def work(self, folder, tasks, done):
        for number, result in enumerate(Alone(1).work(folder, tasks, done)):
            if number == self.after:
                raise EndsError
            yield result


class Backwards:
    """Tasks as late as they may be: of those that can begin, the last one."""

    def work(self, folder, tasks, done):
        waiting = [task for task in tasks if task.name not in done]
        done = set(done)
        while waiting:
            task = next(task for task in reversed(waiting) if done.issuperset(task.needs))
            waiting.remove(task)
            done.add(task.name)
            yield run(str(folder), task.name, 2)


@pytest.fixture
def recipe():
    """Rivers, drops and snow: a step for the whole, one for both, one for what covers the
    ground.
    """
    return Recipe.load("alpine").with_values({"droplet.drops_per_cell": 0.1, "uplift.years": 2000})


@pytest.fixture
def landscape(tmp_path):
    """A fractal landscape of 160 x 240 cells of 20 m in 2 x 3 tiles."""
    return fractal(tmp_path / "land")


def fractal(folder, tile=80, shape=(160, 240)):
    start = makers.generated("fractal", shape, 20.0, 3, {"relief": 900.0}, None)
    return makers.make(folder, Manifest(*shape, tile, (20.0, 20.0), "fractal"), start)
