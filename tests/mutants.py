# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutation testing: small faults put into a module one at a time, and whether its tests notice:
`make mutants`, or `python -m tests.mutants erosion_addon/recipe/recipe.py=tests/recipe --most 100`.

Faults are the usual ones (DeMillo, Lipton, Sayward 1978; names as in mutmut): another comparison,
operator or constant, a condition turned around, a statement left out. Each runs in a copy of the
checkout until a test fails; tests that noticed the most faults before come first, and only kernels
that the fault changes are compiled again. Tests that take ten times as long as without a fault
count as failed. The same faults are drawn each time. A survivor is a fault that no test sees, or
none at all, as where < and <= mean the same: explained_mutants.toml says so, and why, fault by
fault.

Of each room's faults that are not explained, a share must be noticed: SHARES, or --share.
"""

import argparse
import ast
import copy
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]

SAME_BYTES = "tests/test_same_bytes.py::test_a_recipe_makes_the_bytes_that_it_made_before"
"""Tests of what a recipe makes, for the one that is named next in brackets: they notice other
random numbers.
"""

MODULES = {
    "kernels": {
        "erosion_addon/drainage/kernels/spill.py": (
            "tests/drainage/test_spill.py tests/drainage/test_flow_graph.py"
        ),
        "erosion_addon/processes/droplet/kernels/droplet.py": (
            "tests/processes/droplet tests/run/test_checkpoint.py"
        ),
        "erosion_addon/processes/droplet/kernels/motion.py": "tests/processes/droplet",
        "erosion_addon/processes/dunes/kernels/creep.py": "tests/processes/dunes/kernels",
        "erosion_addon/processes/dunes/kernels/slabs.py": (
            f"tests/processes/dunes/kernels {SAME_BYTES}[yardangs]"
        ),
        "erosion_addon/processes/shared/kernels/cascade.py": (
            "tests/processes/wind/kernels/test_saltation.py"
        ),
        "erosion_addon/processes/shared/kernels/relax.py": (
            "tests/processes/shared/kernels/test_relax.py"
        ),
        "erosion_addon/processes/uplift/kernels/incision.py": "tests/processes/uplift/kernels",
        "erosion_addon/processes/water/kernels/flow.py": (
            "tests/processes/water/kernels/test_flow.py"
        ),
        "erosion_addon/processes/wind/kernels/saltation.py": (
            "tests/processes/wind/kernels/test_saltation.py"
        ),
    },
    "commit": {
        "erosion_addon/scene/run/commit.py": "tests/ui/run/test_run.py tests/scene/run/test_job.py",
        "erosion_addon/scene/original/original.py": (
            "tests/scene/original tests/ui/run/test_apply.py"
        ),
        "erosion_addon/scene/original/transaction.py": "tests/scene/original/test_transaction.py",
    },
    "model": {
        "erosion_addon/recipe/recipe.py": "tests/recipe",
        "erosion_addon/terrain/masks.py": "tests/terrain",
        "erosion_addon/run/checkpoint.py": "tests/run/test_checkpoint.py",
    },
}
"""Room → its modules, and their tests, as pytest takes them."""

SHARES = {"kernels": 0.95, "commit": 0.95, "model": 0.0}
"""Room → share of its faults that must be noticed; 0 where the figure is only told."""

EXPLAINED = Path(__file__).with_name("explained_mutants.toml")

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}

CALLS = {"min": "max", "max": "min", "any": "all", "all": "any"}


def _mutated(node: ast.AST) -> ast.AST | None:
    """Faulty copy of a node of a syntax tree; None where there is no fault for it."""
    made: Any = copy.deepcopy(node)
    match made:
        case ast.Compare() if type(made.ops[0]) in COMPARISONS:
            made.ops[0] = COMPARISONS[type(made.ops[0])]()
        case ast.BinOp() | ast.AugAssign() | ast.BoolOp() if type(made.op) in OPERATORS:
            made.op = OPERATORS[type(made.op)]()
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            made = made.operand
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            made.func.id = CALLS[name]
        case ast.Constant(value=bool(value)):
            made.value = not value
        case ast.Constant(value=int(value)):
            made.value = value + 1
        case ast.Constant(value=float(value)):
            made.value = 1.5 * value if value else 1.0
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.Continue() | ast.Break():
            made = ast.Pass()
        case ast.If() | ast.IfExp() | ast.While():
            made.test = ast.UnaryOp(ast.Not(), made.test)
        case _:
            return None
    return ast.copy_location(made, node)  # type: ignore[no-any-return]


class _Replace(ast.NodeTransformer):
    """Replaces a node of a tree by another."""

    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _is_declaration(node: ast.AST) -> bool:
    """Whether a node is a type or a declared parameter, which only the manual's tests look at."""
    match node:
        case ast.Subscript(value=ast.Name(id=name)):
            return name[0].isupper() or name in ("dict", "list", "tuple", "type")
        case ast.Call(func=ast.Name(id="parameter")):
            return True
    return False


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a tree that are code."""
    for name, child in ast.iter_fields(tree):
        if name not in ("annotation", "returns", "decorator_list", "type_params"):
            for node in child if isinstance(child, list) else [child]:
                if isinstance(node, ast.AST) and not _is_declaration(node):
                    yield node
                    yield from _nodes(node)


def faults(source: str) -> list[int]:
    """Numbers of the nodes of a module that a fault can be put into."""
    return [number for number, node in enumerate(_nodes(ast.parse(source))) if _mutated(node)]


def faulty(source: str, number: int) -> tuple[str, str]:
    """A module with a fault in one of `faults`, and the fault's line and change in words."""
    tree = ast.parse(source)
    node = next(itertools.islice(_nodes(tree), number, None))
    made = _mutated(node)
    assert made is not None
    before, after = (ast.unparse(part).splitlines()[0] for part in (node, made))
    return ast.unparse(
        _Replace(node, made).visit(tree)
    ), f"{node.lineno}: {before:.80} → {after:.80}"


def names(source: str) -> dict[int, str]:
    """Number of each of `faults` → function and change in words, the same wherever the function
    stands in the module.

    The second and each further fault of the same words in a function have its number behind.
    """
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found: dict[int, str] = {}
    met: dict[str, int] = {}
    for number, node in enumerate(_nodes(tree)):
        if (made := _mutated(node)) is None:
            continue
        line = node.lineno  # type: ignore[attr-defined]
        around = [one for one in functions if one.lineno <= line <= (one.end_lineno or 0)]
        function = max(around, key=lambda one: one.lineno).name if around else "module"
        before, after = (ast.unparse(part).splitlines()[0] for part in (node, made))
        words = f"{function}: {before:.80} → {after:.80}"
        met[words] = met.get(words, 0) + 1
        found[number] = words if met[words] == 1 else f"{words} ({met[words]})"
    return found


def explained() -> dict[str, dict[str, str]]:
    """Module → name of a fault that changes nothing that can be seen → why."""
    kept: dict[str, dict[str, str]] = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))
    return kept


NOTICED = "TESTS_THAT_NOTICED_FAULTS"
"""Environment variable with the path of a list of tests, a line for each fault that one noticed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests first that noticed the most faults: pytest takes this module as a plugin."""
    noticed = Counter(Path(os.environ[NOTICED]).read_text(encoding="utf-8").splitlines())
    items.sort(key=lambda item: -noticed[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Remember a test that noticed a fault."""
    if report.failed:
        with Path(os.environ[NOTICED]).open("a", encoding="utf-8") as stream:
            stream.write(f"{report.nodeid}\n")


def changed_code(root: Path, module: str) -> set[str]:
    """Names of the modules of kernels whose machine code a fault changes: its own, and all that
    import one of them.
    """
    imports: dict[str, set[str]] = {}
    for path in root.glob("erosion_addon/**/kernels/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                words = [
                    (node.module or "").rpartition(".")[2],
                    *(name.name for name in node.names),
                ]
                imports.setdefault(path.stem, set()).update(words)
    changed = {Path(module).stem}
    while more := {name for name, words in imports.items() if words & changed} - changed:
        changed |= more
    return changed


class Copy:
    """Copy of a checkout in which tests run."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._folder = folder / "copy"
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True
        ).stdout
        for name in filter(None, names.split("\0")):
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, self._folder / name)
        self._environment = os.environ | {
            "PYTHONPATH": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CACHE_HOME": str(folder / "cache"),
            NOTICED: str(folder / "noticed"),
        }
        (folder / "noticed").touch()
        self._compiled = self._machine_code()

    def failure(
        self, module: str, source: str, tests: str, seconds: float | None = None
    ) -> str | None:
        """What pytest says of the first test that fails with this source of a module; None if all
        pass in time.
        """
        file = self._folder / module
        kept = file.read_text(encoding="utf-8")
        file.write_text(source, encoding="utf-8")
        try:
            if source != kept and Path(module).parent.name == "kernels":
                self._keep_machine_code(changed_code(self._folder, module))
            plugins = ["-p", "no:cacheprovider", "-p", "tests.mutants"]
            command = [sys.executable, "-m", "pytest", "-q", "-x", *plugins, *tests.split()]
            where = {"cwd": self._folder, "env": self._environment, "timeout": seconds}
            ran = subprocess.run(
                command, capture_output=True, check=False, text=True, errors="replace", **where
            )
        except subprocess.TimeoutExpired:
            return f"longer than {seconds:.0f} s"
        finally:
            file.write_text(kept, encoding="utf-8")
        return ran.stdout + ran.stderr if ran.returncode else None

    def take_machine_code(self) -> None:
        """Take the kernels that this checkout has compiled, if they are of the same sources."""
        # numba, which tests that run in Blender have to do without
        from erosion_addon.base.kernels import jit

        if jit.CACHE is not None and jit.CACHE.name == self._compiled.name:
            shutil.copytree(jit.CACHE, self._compiled, dirs_exist_ok=True)

    def _machine_code(self) -> Path:
        """Folder of the compiled kernels of these sources."""
        command = [
            sys.executable,
            "-c",
            "from erosion_addon.base.kernels import jit; print(jit.CACHE)",
        ]
        where = {"cwd": self._folder, "env": self._environment}
        return Path(
            subprocess.run(
                command, capture_output=True, check=True, text=True, **where
            ).stdout.strip()
        )

    def _keep_machine_code(self, changed: set[str]) -> None:
        """Take the compiled kernels of the sources without a fault, but for those that the fault
        changes.
        """
        try:
            folder = self._machine_code()
        except subprocess.CalledProcessError:  # the tests will not get farther
            return
        for path in self._compiled.glob("*.nbc"):
            if path.name.partition(".")[0] not in changed:
                (folder / path.name).hardlink_to(path)


def try_module(checkout: Copy, module: str, source: str, tests: str, most: int) -> tuple[int, int]:
    """Put faults into a module; returns how many were noticed, and of how many that are not
    explained.
    """
    numbers = faults(source)
    called = names(source)
    drawn = sorted(random.Random(module).sample(numbers, min(most, len(numbers))))
    if Path(module).parent.name != "kernels":  # whose tests take as long as their compilation
        checkout.take_machine_code()
    began = time.monotonic()
    if failure := checkout.failure(module, source, tests):
        raise SystemExit(f"{module}: {tests} fail without any fault\n{failure}")
    seconds = 10.0 * (time.monotonic() - began)
    why = explained().get(module, {})
    noticed = 0
    known = 0
    for number in drawn:
        text, words = faulty(source, number)
        if called[number] in why:
            known += 1
        elif checkout.failure(module, text, tests, seconds) is not None:
            noticed += 1
        else:
            print(f'    survived: {module}:{words}\n        as "{called[number]}"', flush=True)
    count = len(drawn) - known
    print(
        (
            f"{module}: {noticed} of {count} faults noticed, {known} explained ({len(numbers)} "
            "possible)"
        ),
        flush=True,
    )
    return noticed, count


def main() -> int:
    """Command line; exit status 1 if fewer faults are noticed than asked for."""
    parser = argparse.ArgumentParser(description="Count the faults that tests notice.")
    parser.add_argument(
        "modules", nargs="*", metavar="MODULE[=TESTS]", help="default: all of MODULES"
    )
    parser.add_argument(
        "--most", type=int, default=20, help="faults a module, drawn from all (default: 20)"
    )
    parser.add_argument(
        "--root", type=Path, default=ROOT, help="checkout whose tests run (default: this one)"
    )
    parser.add_argument(
        "--share",
        type=float,
        help="share of faults that must be noticed (default: that of the room)",
    )
    given = parser.parse_args()
    rooms = MODULES
    if given.modules:
        tests_of = {
            module: tests for modules in MODULES.values() for module, tests in modules.items()
        }
        room_of = {module: room for room, modules in MODULES.items() for module in modules}
        rooms = {}
        for word in given.modules:
            module, _, tests = word.partition("=")
            rooms.setdefault(room_of.get(module, "others"), {})[module] = tests or tests_of[module]
    failed = False
    for room, modules in rooms.items():
        noticed = made = 0
        for module, tests in modules.items():
            source = (given.root / module).read_text(encoding="utf-8")
            with tempfile.TemporaryDirectory() as folder:
                seen, count = try_module(
                    Copy(given.root, Path(folder)), module, source, tests, given.most
                )
            noticed = noticed + seen
            made = made + count
        share = SHARES.get(room, 0.0) if given.share is None else given.share
        is_short = noticed < share * made
        failed = failed or is_short
        asked = f", fewer than {share:.0%}" if is_short else ""
        print(
            f"{room}: {noticed} of {made} faults noticed: {noticed / max(made, 1):.0%}{asked}",
            flush=True,
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
