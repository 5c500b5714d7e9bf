# SPDX-License-Identifier: GPL-3.0-or-later
"""Some of what `python -m tests.limits` does for thousands of recipes."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import limits

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.fuzz
@pytest.mark.worker
def test_no_recipe_within_the_hard_limits_crashes_hangs_or_loses_mass():
    command = [sys.executable, "-m", "tests.limits", "--count", "10"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].startswith("10 recipes, ")


def test_cases_are_the_same_every_time_and_within_the_limits():
    for number in range(20):
        case = limits.case_of(number, 5)
        assert case == limits.case_of(number, 5) != limits.case_of(number, 6)
        assert limits.Recipe.from_dict(case["recipe"]).steps


class Crashing:
    """A process that dies of one parameter beside one mask."""

    alive = True

    def verdict(self, case, seconds=0.0):
        steps = case["recipe"]["step"]
        bad = any(step.get("hillslope_length") == 1e6 for step in steps) and "rain" in case["masks"]
        return "crashed: exit code -11" if bad else "done"

    def end(self):
        pass


def test_a_failure_is_made_as_short_as_it_still_fails(monkeypatch):
    monkeypatch.setattr(limits, "Child", Crashing)
    case = limits.case_of(1, 1)
    uplift = {"kind": "uplift", "years": 5.0, "hillslope_length": 1e6, "limits": {"lowest": 0.0}}
    case |= {
        "recipe": {
            "name": "two",
            "edges": "wrap",
            "step": [{"kind": "talus", "reach": 3.0}, uplift],
        }
    }
    case |= {"masks": {"rain": "noise", "hardness": "one"}, "fields": {"soil": "one"}}
    short = limits.shortest(case, "crashed: exit code -11", 60.0)
    assert short["recipe"] == {"name": "two", "step": [{"kind": "uplift", "hillslope_length": 1e6}]}
    assert (short["masks"], short["fields"], short["rows"], short["cols"]) == (
        {"rain": "noise"},
        {},
        3,
        3,
    )
    assert 'kind = "uplift"' in limits.told(
        short
    ) and "hillslope_length = 1000000.0" in limits.told(short)
