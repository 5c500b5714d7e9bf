# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds of this machine, learned from its runs, for estimates of the next ones.

A speed is the duration of a step divided by its estimate, by kind of step.
"""

import contextlib
import json
import math
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.atomic_files import move_over
from ..processes.registry import PROCESSES

LEAST, MOST = 0.01, 1000.0
"""Plausible range; speeds outside come from a changed clock or a damaged file."""

SHORTEST = 0.3
"""Shortest step in seconds that is used for learning."""

WEIGHT = 0.5
"""Weight of the last run against all earlier ones."""

_LONGEST_FILE = 4096


def load(path: Path) -> dict[str, float]:
    """Speeds in a file; empty if it is missing, without implausible values."""
    try:
        if not path.is_file():  # a pipe would be read for ever
            return {}
        with path.open("rb") as stream:
            text = stream.read(_LONGEST_FILE + 1)
        rates = json.loads(text) if len(text) <= _LONGEST_FILE else None
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(rates, dict):
        return {}
    return {kind: float(rates[kind]) for kind in PROCESSES if _is_speed(rates.get(kind))}


def save(path: Path, speeds: Mapping[str, float]) -> None:
    """Write a file atomically; does nothing if that fails."""
    temporary = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        try:
            temporary.write_text(json.dumps(dict(speeds)), encoding="utf-8")
            move_over(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def learned(speeds: Mapping[str, float], report: Mapping[str, Any]) -> dict[str, float]:
    """Speeds updated from the report of a run; only steps run from beginning to end count."""
    after = dict(speeds)
    for step in report["steps"]:
        estimate = step.get("estimated_seconds", 0.0)
        seconds = step["seconds"]
        if (
            estimate <= 0.0
            or seconds < SHORTEST
            or step.get("reused")
            or not _is_speed(seconds / estimate)
        ):
            continue
        # Means of logarithms: twice as fast and half as fast make up for each other.
        before = after.get(step["kind"], seconds / estimate)
        after[step["kind"]] = math.exp(
            (1 - WEIGHT) * math.log(before) + WEIGHT * math.log(seconds / estimate)
        )
    return after


def _is_speed(number: Any) -> bool:
    return (
        isinstance(number, int | float) and not isinstance(number, bool) and LEAST <= number <= MOST
    )
