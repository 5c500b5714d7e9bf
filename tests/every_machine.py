# SPDX-License-Identifier: GPL-3.0-or-later
"""Every recipe's result on other machines, as far as this one can be them: `python -m
tests.every_machine`.

`python -m tests.every_machine --side 128 alpine canyon` does these alone. Each stands on its own
start terrain; a digest is the SHA-256 of all fields that the recipe leaves. Three minutes of
processor time a machine.

`python -m tests.every_machine --keep` writes this machine's digests to recipe_digests.json, which
the tests hold every machine to. The look of an old seed is a promise: where a digest changes,
CHANGELOG.md says why.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from erosion_addon import Recipe, Terrain, erode
from erosion_addon.base.data_files import shipped

ROOT = Path(__file__).resolve().parents[1]
KEPT = Path(__file__).parent / "recipe_digests.json"
KEPT_SIDES = (64, 192)
"""Cells a side; all recipes together take seconds and minutes."""

NUMPY = getattr(np, "_core", None) or np.core
OTHER_LIBRARY = {
    "GLIBC_TUNABLES": (
        "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-FMA4_Usable,-AVX512F,-AVX512VL"
    )
}
"""Another C library: its functions without the variants for fused products."""
OTHER_NUMPY = {"NPY_DISABLE_CPU_FEATURES": " ".join(NUMPY._multiarray_umath.__cpu_dispatch__)}
OTHER_PROCESSOR = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
AVX2 = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""}
AVX512 = {"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""}
"""Machine code of one kind, whatever more this processor has."""


def _has(flag: str) -> bool:
    """Whether this machine's processor has what machine code of a kind needs."""
    file = Path("/proc/cpuinfo")
    return file.is_file() and flag in file.read_text(encoding="utf-8").split()


MACHINES = {
    "here": {},
    "another C library": OTHER_LIBRARY,
    "numpy without vectors": OTHER_NUMPY,
    "another processor": OTHER_PROCESSOR,
    **({"AVX2": AVX2} if _has("avx2") else {}),
    **({"AVX-512": AVX512} if _has("avx512vl") else {}),
}


def digest(arrays) -> str:
    """SHA-256 of arrays' bytes in the order of small machines."""
    text = hashlib.sha256()
    for array in arrays:
        text.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes())
    return text.hexdigest()


def recipe_result(name: str, side: int) -> Terrain:
    """Result of a recipe on its start terrain of side x side cells."""
    from examples.starts import terrain_for

    return erode(terrain_for(name, side=side), Recipe.load(name))


def result_digest(result: Terrain) -> str:
    """SHA-256 of the heights and all fields."""
    return digest([result.elevation, *(values for _, values in sorted(result.fields.items()))])


def recipe_digest(name: str, side: int) -> str:
    """SHA-256 of all that a recipe leaves on its start terrain of side x side cells."""
    return result_digest(recipe_result(name, side))


def kept_digests() -> dict[str, dict[str, str]]:
    """The digests that results are held to: cells a side, as text -> name of a recipe ->
    SHA-256.
    """
    kept: dict[str, dict[str, str]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return kept


def keep() -> None:
    """Write this machine's digests of all recipes."""
    digests = {
        str(side): {name: recipe_digest(name, side) for name in sorted(shipped())}
        for side in KEPT_SIDES
    }
    KEPT.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def child(words: list[str], machine: dict[str, str], folder: str | Path) -> "subprocess.Popen[str]":
    """This Python on a machine, which keeps its compiled kernels in a folder of its own."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", *words],
        env={**os.environ, **machine, "TERRAIN_EROSION_CACHE": str(folder)},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def table(names: list[str], side: int) -> int:
    """Say the digests and where they differ; returns how many do."""
    found: dict[str, dict[str, str]] = {name: {} for name in names}
    for machine, variables in MACHINES.items():
        with tempfile.TemporaryDirectory() as folder:
            one = child(
                ["-m", "tests.every_machine", "--only-here", "--side", str(side), *names],
                variables,
                folder,
            )
            for line in one.stdout:
                value, _, name = line.strip().partition(" ")
                found[name][machine] = value
            if one.wait():
                raise SystemExit(f"{machine}: the run failed.")
        print(f"{machine}: done", flush=True)
    differ = 0
    kept = kept_digests().get(str(side), {})
    for name, values in found.items():
        if kept.get(name, values["here"]) != values["here"]:
            values["where the digests were kept"] = kept[name]
        others = [machine for machine, value in values.items() if value != values["here"]]
        differ += bool(others)
        print(
            f"{name:18} {values['here']}  "
            f"{'differs: ' + ', '.join(others) if others else 'the same everywhere'}"
        )
    print(f"{len(names)} recipes, {side} x {side} cells, {len(MACHINES)} machines: {differ} differ")
    return differ


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="RECIPE")
    parser.add_argument(
        "--side", type=int, default=KEPT_SIDES[1], help="cells a side (default: %(default)s)"
    )
    parser.add_argument(
        "--only-here", action="store_true", help="say the digests of this machine, and nothing else"
    )
    parser.add_argument(
        "--keep", action="store_true", help="write the digests that results are held to"
    )
    given = parser.parse_args()
    wanted = given.names or sorted(shipped())
    if given.keep:
        keep()
    elif given.only_here:
        for name in wanted:
            print(recipe_digest(name, given.side), name, flush=True)
    else:
        sys.exit(table(wanted, given.side) > 0)
