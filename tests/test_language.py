# SPDX-License-Identifier: GPL-3.0-or-later
"""Names are nouns of the field, one statement a line, and few arguments: what a check can see."""

import ast

from tests.test_architecture import MODULES, PACKAGE, is_kernel, name_of, tree_of

RIDDLES = set(
    "given one made there found told said kept held own known named wanted needed chosen shown "  # noqa: SIM905
    "seen done begun began whole around each other others another here now it that painted fitted "
    "moved laid".split()
)
"""Participles and pronouns: as a name, each says that there is something, and not what."""

RIDDLE_SHARE = 0.01
"""Of all names that are bound, at most; code bases that read well have 0 to 0.013."""

ARGUMENTS = 7
KERNEL_ARGUMENTS = 10
"""Of a function, at most. Kernels take arrays one by one where numba compiles no structure."""


def trees():
    for path in MODULES:
        yield path, tree_of(path.read_text(encoding="utf-8"))


def bound_names(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_names_are_nouns():
    names = [(path, name) for path, tree in trees() for name in bound_names(tree)]
    riddles = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path, name in names
        if name.strip("_").lower() in RIDDLES
    ]
    assert len(riddles) <= RIDDLE_SHARE * len(names), "\n".join(sorted(riddles))


RENAMED = {
    "erosion_addon.run.precompile: Step as RunningStep",  # beside the step of a recipe
    "erosion_addon.scene.brush.painter: ground as grounds",  # beside the ground of a stroke
}


def test_modules_of_our_own_are_called_by_their_names():
    renamed = {
        f"{name_of(path)}: {alias.name} as {alias.asname}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
        if alias.asname
    }
    assert renamed == RENAMED


def test_one_statement_does_not_assign_two_things():
    """Swaps, and sequences that hand one value on to the next, are one thing."""
    pairs = []
    lines = 0
    for path, tree in trees():
        lines += len(path.read_text(encoding="utf-8").splitlines())
        pairs += [
            f"{name_of(path)}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Tuple)
            and any(isinstance(target, ast.Tuple) for target in node.targets)
        ]
    assert len(pairs) <= 0.005 * lines, "\n".join(pairs)


WIDE = 36
"""Functions with more, at most: kernels of particles and faces, and public ones."""


def test_functions_take_few_arguments():
    wide = {
        f"{name_of(path)}.{node.name}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and len([*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
        > (KERNEL_ARGUMENTS if is_kernel(name_of(path)) else ARGUMENTS)
    }
    assert len(wide) <= WIDE, "\n".join(sorted(wide))
