# SPDX-License-Identifier: GPL-3.0-or-later
"""Mutation testing: small faults put into a module one at a time, and whether its tests notice: `make mutants`, or
`python -m tests.mutants erosion_addon/recipe/recipe.py=tests/recipe --most 100`.

Faults are the usual ones (DeMillo, Lipton, Sayward 1978; names as in mutmut): another comparison, operator or constant,
a condition turned around, a statement left out. Each runs in a copy of the checkout until a test fails. Tests that take
ten times as long as without a fault count as failed. The same faults are drawn each time. A survivor is a fault that no
test sees, or none at all, as where < and <= mean the same; it is printed with its line, to be judged by a reader.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

MODULES = {
    "erosion_addon/drainage/kernels/spill.py": "tests/drainage/test_spill.py tests/drainage/test_flow_graph.py",
    "erosion_addon/processes/shared/kernels/cascade.py": "tests/processes/wind tests/processes/test_laws.py",
    "erosion_addon/recipe/recipe.py": "tests/recipe",
    "erosion_addon/terrain/masks.py": "tests/terrain",
    "erosion_addon/scene/run/commit.py": "tests/scene/run",
}
"""Modules and their tests, as pytest takes them."""

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
        self._old, self._new = old, new

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
    return ast.unparse(_Replace(node, made).visit(tree)), f"{node.lineno}: {before:.80} → {after:.80}"


class Copy:
    """Copy of a checkout in which tests run."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._folder = folder / "copy"
        names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            (self._folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, self._folder / name)
        self._environment = os.environ | {
            "PYTHONPATH": str(self._folder),
            "PYTHONDONTWRITEBYTECODE": "1",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def failure(self, module: str, source: str, tests: str, seconds: float | None = None) -> str | None:
        """What pytest says of the first test that fails with this source of a module; None if all pass in time."""
        file = self._folder / module
        kept = file.read_text(encoding="utf-8")
        file.write_text(source, encoding="utf-8")
        try:
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests.split()]
            where = {"cwd": self._folder, "env": self._environment, "timeout": seconds}
            ran = subprocess.run(command, capture_output=True, check=False, text=True, errors="replace", **where)
        except subprocess.TimeoutExpired:
            return f"longer than {seconds:.0f} s"
        finally:
            file.write_text(kept, encoding="utf-8")
        return ran.stdout + ran.stderr if ran.returncode else None


def main() -> int:
    """Command line; exit status 1 if fewer faults are noticed than asked for."""
    parser = argparse.ArgumentParser(description="Count the faults that tests notice.")
    parser.add_argument("modules", nargs="*", metavar="MODULE=TESTS", help="default: five modules")
    parser.add_argument("--most", type=int, default=20, help="faults a module, drawn from all (default: 20)")
    parser.add_argument("--root", type=Path, default=ROOT, help="checkout whose tests run (default: this one)")
    parser.add_argument("--share", type=float, default=0.0, help="share of faults that must be noticed (default: 0)")
    given = parser.parse_args()
    modules = dict(pair.split("=", 1) for pair in given.modules) or MODULES
    noticed = made = 0
    for module, tests in modules.items():
        source = (given.root / module).read_text(encoding="utf-8")
        numbers = faults(source)
        drawn = sorted(random.Random(module).sample(numbers, min(given.most, len(numbers))))
        with tempfile.TemporaryDirectory() as folder:
            checkout, began, seen = Copy(given.root, Path(folder)), time.monotonic(), 0
            if failure := checkout.failure(module, source, tests):
                print(f"{module}: {tests} fail without any fault\n{failure}")
                return 1
            seconds = 10.0 * (time.monotonic() - began)
            survivors = []
            for number in drawn:
                text, words = faulty(source, number)
                if checkout.failure(module, text, tests, seconds) is None:
                    survivors.append(words)
                else:
                    seen += 1
        print(f"{module}: {seen} of {len(drawn)} faults noticed ({len(numbers)} possible)", flush=True)
        for words in survivors:
            print(f"    survived: {module}:{words}", flush=True)
        noticed, made = noticed + seen, made + len(drawn)
    print(f"{noticed} of {made} faults noticed: {noticed / made:.0%}")
    return int(noticed < given.share * made)


if __name__ == "__main__":
    sys.exit(main())
