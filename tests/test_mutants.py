# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults of the mutation test: each changes the code once, never a type or a text."""

from tests.mutants import MODULES, ROOT, SHARES, explained, faults, faulty, names

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


def test_modules_and_their_tests_are_there():
    for modules in MODULES.values():
        for module, tests in modules.items():
            paths = [
                module,
                *(word.partition("::")[0] for word in tests.partition(" -k ")[0].split()),
            ]
            assert all((ROOT / path).exists() for path in paths), module


def test_names_tell_faults_apart_wherever_the_function_stands():
    called = names(SOURCE)
    assert list(called) == faults(SOURCE) and len(set(called.values())) == len(called)
    assert list(names("import math\n\n\n" + SOURCE).values()) == list(called.values())


def test_explained_faults_are_possible_and_say_why():
    for module, reasons in explained().items():
        assert set(reasons) <= set(names((ROOT / module).read_text(encoding="utf-8")).values()), (
            module
        )
        assert all(why.endswith(".") for why in reasons.values())


def test_kernels_and_commit_are_held_to_95_percent():
    assert (
        {room for room, share in SHARES.items() if share >= 0.95}
        == {"kernels", "commit"}
        < set(MODULES)
    )
