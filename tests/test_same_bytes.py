# SPDX-License-Identifier: GPL-3.0-or-later
"""The same seed gives the same bytes on every machine: nothing that reaches a result comes from the
C library, from numpy's or LLVM's vector functions, from a Fourier transform or product of matrices
of somebody else's.
"""

import ast
import re
import struct
import sys
from pathlib import Path

import numpy as np
import pytest

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.bake.horizon import sky_share, sun_share
from erosion_addon.base.data_files import shipped
from erosion_addon.generators.registry import SOURCES, make
from erosion_addon.processes.brush.parameters import KINDS
from erosion_addon.terrain.strata import Strata
from tests import every_machine
from tests.every_machine import OTHER_LIBRARY, OTHER_NUMPY, OTHER_PROCESSOR, child

PACKAGE = Path(__file__).resolve().parent.parent / "erosion_addon"
SCANNED = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.relative_to(PACKAGE).parts[0] not in ("scene", "ui")
)

LAST_DIGITS = {
    *(
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "logaddexp",
        "cbrt",
        "hypot",
        "dist",
        "pow",
        "power",
    ),
    *(
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "arcsin",
        "arccos",
        "arctan",
        "arctan2",
        "sinc",
    ),
    *(
        "sinh",
        "cosh",
        "tanh",
        "arcsinh",
        "arccosh",
        "arctanh",
        "asinh",
        "acosh",
        "atanh",
        "gamma",
        "lgamma",
        "erf",
    ),
    *(
        "float_power",
        "geomspace",
        "logspace",
        "interp",
        "polyfit",
        "polyval",
        "fft",
        "random",
        "angle",
        "sumprod",
    ),
    *(
        "dot",
        "vdot",
        "inner",
        "outer",
        "matmul",
        "tensordot",
        "einsum",
        "convolve",
        "correlate",
        "corrcoef",
    ),
}
"""Functions of math and numpy whose last digits are those of a processor, a compiler or a
release.
"""

FOREIGN = {(0, name) for name in ("math", "cmath", "random", "statistics")}
"""Modules of Python's own, of which nothing is imported by name: (0 dots, name)."""

HARMLESS = {
    ("resample", "@"),  # the picture of a preview
    *(("estimate", "**"), ("speeds", "exp"), ("speeds", "log")),  # how long a run will take
    # figures to read, of two digits
    *(("land_statistics", name) for name in ("arctan", "hypot", "log10", "polyfit")),
    ("plot", "log10"),  # a drawing, to a tenth of a pixel
    ("stencils", "atan"),  # degrees in a sentence
    ("placement", "atan2"),  # likewise
    # Longitude and latitude, rounded to a tenth of a millimeter.
    *(
        ("projections", name)
        for name in ("**", "arcsin", "arctan", "arctan2", "cos", "cosh", "sin", "sinh")
    ),
}
"""(module, name) of what stays, as no result comes of it."""


def calls_of_others(tree):
    """Calls and operators of a module that may differ between machines."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("np", "math")
        ):
            if node.attr in LAST_DIGITS:
                yield node.attr
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            yield "@"
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            whole = isinstance(node.left, ast.Constant) and float(node.left.value).is_integer()
            if not whole:  # 2**n is exact, x**n is the C library's
                yield "**"
        elif isinstance(node, ast.Constant) and isinstance(node.value, complex):
            yield "complex"
        elif isinstance(node, ast.ImportFrom) and (node.level, node.module) in FOREIGN:
            yield f"from {node.module}"


@pytest.mark.parametrize("path", SCANNED, ids=lambda path: path.stem)
def test_nothing_is_asked_of_functions_whose_last_digits_differ(path):
    found = set(calls_of_others(ast.parse(path.read_text(encoding="utf-8"))))
    assert not {name for name in found if (path.stem, name) not in HARMLESS}


def slope_with_everything():
    made = make("fractal", 40, 56, 5.0, 3, {"warp": 0.3, "roughness": 0.3})
    ramp = np.broadcast_to(np.linspace(0, 1, 56), made.shape)
    fields = {
        "sediment": 2 * ramp,
        "moisture": ramp.astype(np.float32),
        "grass": ramp[:, ::-1].astype(np.float32),
    }
    return Terrain(made.elevation, 5.0, fields)


def stroke(kind):
    """A curved stroke of the brush over the middle, with every pressure of the pen."""
    dabs = [
        [60.0 + 12.0 * number, 60.0 + 3.0 * number * number, 0.2 + 0.2 * number]
        for number in range(5)
    ]
    return {
        "kind": kind,
        "radius": 50.0,
        "strength": 1.0,
        "falloff": "sphere",
        "angle": 20.0,
        "seed": 7,
        "dabs": dabs,
    }


STEPS = {
    "droplets": {"kind": "droplet"},
    "droplets on large cells": {"kind": "droplet", "feature_size": 12.0},
    "droplets between hillslopes": {"kind": "droplet", "slope_limit": 30.0, "creep": 6.0},
    "light droplets": {"kind": "rill"},
    "water": {"kind": "water", "duration": 0.2, "cloud_cover": 0.5},
    "wind": {
        "kind": "wind",
        "wind_rose": [[30.0, 2.0], [80.0, 1.0]],
        "gustiness": 30.0,
        "feature_size": 10.0,
    },
    "boundary layer": {
        "kind": "wind",
        "flight": "boundary layer",
        "feature_size": 10.0,
        "turbulence": 0.1,
    },
    "dunes": {
        "kind": "dunes",
        "years": 50.0,
        "wind_rose": [[30.0, 2.0], [100.0, 1.0]],
        "season": 10.0,
        "abrasion": 0.1,
    },
    "talus": {"kind": "talus", "rock_angle": 40.0, "reach": 30.0},
    "weathering": {"kind": "weather"},
    "snow": {"kind": "snow", "reach": 30.0},
    "uplift": {"kind": "uplift", "uplift": 0.5},
    "strokes": {"kind": "brush", "strokes": [stroke(kind) for kind in KINDS]},
}


def eroded(step):
    recipe = Recipe.from_dict({"name": "test", "step": [step]})
    hardness = np.linspace(0, 1, 56)[None].repeat(40, 0)
    result = erode(slope_with_everything(), recipe, seed=5, masks={"hardness": hardness})
    return [result.elevation, *(values for _, values in sorted(result.fields.items()))]


def lit():
    elevation = make("ridged", 48, 40, 5.0, 2).elevation
    sun = np.array([0.5, -0.3, 0.4]) / np.sqrt(0.5)
    return [
        sky_share(elevation, (5.0, 5.0), 16, 1e3, False),
        sun_share(elevation, (5.0, 5.0), tuple(sun), 0.02, True),
    ]


def layered():
    bedding = {"dip": 12.0, "undulation": 8.0, "wavelength": 90.0, "blend": 1.0}
    layers = [{"thickness": 7.0, "color": "#a08060"}, {"thickness": 3.0, "color": "#302010"}]
    strata = Strata.from_dict({"name": "test", **bedding, "layer": layers})
    return [strata.colors(make("cone", 30, 40, 5.0).elevation, (5.0, 5.0))]


MADE = {
    **{
        kind: lambda kind=kind: [
            made(kind, {}),
            made(kind, {"warp": 0.5, "island": 0.4}),
            large(kind),
        ]
        for kind in SOURCES
    },
    **{name: lambda step=step: eroded(step) for name, step in STEPS.items()},
    "light": lit,
    "mountains of beds": lambda: [made("mountains", {"hardness": 0.9, "age": 0.7})],
    "strata": layered,
}
HASHES = {
    "voronoi": "270a2089f0475b8e",
    "ridged": "f216f891d71462d7",
    "fractal": "90f89234fe951bad",
    "faults": "373767b74c06013c",
    "bumps": "beeb6b38b41d3825",
    "sand": "05dc90f6a0812608",
    "plane": "a9fd322a81e50cc0",
    "cone": "118b52d67f1dd689",
    "pyramid": "8577ac13aa191711",
    "box": "9d91a95bc6e290b7",
    "letters": "c97a3cd1acd0413b",
    "pyramid_in_sand": "aafa7cc0d64e0ce3",
    "blocks": "03f6f3c426b9de45",
    "mountains": "530935ecd797a123",
    "mountains of beds": "8ce38af7044cde75",
    "strata": "1ee4ca6b1a4032f5",
}
"""What is made without a kernel, on every machine: they change with the landscapes, and with
nothing else.
"""


def made(kind, values):
    return make(kind, 36, 50, 5.0, 9, values).elevation


def large(kind):
    """So many cells that sums of numpy 1.26 and 2.5 differ: Blender 4.5 and 5.2 had two forms of
    *voronoi*.
    """
    return make(kind, 163, 192, 4.0, 3).elevation


def digest(name):
    return every_machine.digest(MADE[name]())[:16]


@pytest.mark.parametrize("name", HASHES)
def test_the_bytes_are_those_of_every_machine(name):
    assert digest(name) == HASHES[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(shipped()))
def test_a_recipe_makes_the_bytes_that_it_made_before(name):
    """Another digest is another look of old seeds: CHANGELOG.md says why, and `python -m
    tests.every_machine --keep` keeps the new ones.
    """
    side = every_machine.KEPT_SIDES[0]
    result = every_machine.recipe_result(name, side)
    assert every_machine.result_digest(result) == every_machine.kept_digests()[str(side)][name]
    mass = result.report["mass"]
    assert mass["moved"] > 0 and abs(mass["error"]) <= 1e-9 * mass["moved"]


PLAIN_CALLS = re.compile(
    r"floorf?|ceilf?|truncf?|rintf?|nearbyintf?|fmodf?|fabsf?|copysignf?"  # exact
    # the last two: in texts of errors
    r"|mem(set|cpy|move|cmp)|_+chkstk.*|_GLOBAL_OFFSET_TABLE_|strlen|log10"
    r"|_ZN.*|\.?numba\..*|NRT_.*|numba_.*|Py[A-Z_].*|_Py_.*|"  # numba's own, and how Python is told
)


def symbols_needed(code):
    """Undefined symbols of 64-bit ELF machine code."""
    offset, size, count = (
        struct.unpack_from("<Q", code, 0x28)[0],
        *struct.unpack_from("<HH", code, 0x3A),
    )
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", code, offset + number * size) for number in range(count)
    ]
    for _, kind, _, _, start, length, link, _, _, _ in sections:
        if kind == 2:  # the table of symbols
            texts = sections[link][4]
            for at in range(start, start + length, 24):
                name, _, _, section = struct.unpack_from("<IBBH", code, at)
                if section == 0:
                    yield code[texts + name : code.index(b"\0", texts + name)].decode()


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ELF")
@pytest.mark.parametrize("name", [*STEPS, "light"])
def test_kernels_call_no_function_whose_last_digit_differs(name):
    """Read from the folder of compiled kernels, where the machine code stands as it is run."""
    from erosion_addon.base.kernels import jit

    if jit.CACHE is None:
        pytest.skip("no folder for compiled kernels")
    MADE[name]()
    needed = set()
    found = 0
    for path in jit.CACHE.rglob("*.nbc"):
        content = path.read_bytes()
        for start in (match.start() for match in re.finditer(b"\x7fELF", content)):
            needed.update(symbols_needed(content[start:]))
            found += 1
    assert found and "memset" in needed
    assert not {symbol for symbol in needed if not PLAIN_CALLS.fullmatch(symbol)}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_poor_processor_with_another_library_makes_the_same_bytes(tmp_path):
    """Without the vectors and fused products that numpy, the C library and the compiler would
    otherwise use.

    All recipes at greater length: `python -m tests.every_machine`.
    """
    # whose kernels `eroded` calls
    kinds = [kind for kind, source in SOURCES.items() if not source.compiled]
    names = [*kinds, "weathering", "talus", "snow", "strata", "strokes"]
    poor = OTHER_LIBRARY | OTHER_NUMPY | OTHER_PROCESSOR
    script = (
        "import sys; from tests.test_same_bytes import digest; print(*map(digest, sys.argv[1:]))"
    )
    found, _ = child(["-c", script, *names], poor, tmp_path).communicate()
    assert found.split() == [digest(name) for name in names]
