# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the mutation test: each changes the code once, never a type or a text."""

from tests.mutants import faults, faulty

SOURCE = """
def deepest(heights: list[int], sea: float = 0.0) -> str:
    \"\"\"The 2 lowest.\"\"\"
    if not heights or min(heights) < sea:
        raise ValueError("3 below")
    return str(heights[0] + 1)
"""


def test_each_operator_constant_and_condition_is_changed_once():
    changes = {faulty(SOURCE, number)[1].split(": ", 1)[1] for number in faults(SOURCE)}
    assert changes == {
        "0.0 → 1.0",
        "if not heights or min(heights) < sea: → if not (not heights or min(heights) < sea):",
        "not heights or min(heights) < sea → not heights and min(heights) < sea",
        "not heights → heights",
        "min(heights) < sea → min(heights) <= sea",
        "min(heights) → max(heights)",
        "raise ValueError('3 below') → pass",
        "heights[0] + 1 → heights[0] - 1",
        "0 → 1",
        "1 → 2",
    }
