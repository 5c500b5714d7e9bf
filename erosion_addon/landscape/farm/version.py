# SPDX-License-Identifier: GPL-3.0-or-later
"""Version and sources of this package: processes with other ones may leave other bytes."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ... import VERSION
from ...base.errors import InputError

_BESIDE = ("ui", "scene", "cli", "worker", "translations")
"""Rooms that no task calls; a package without Blender may have others."""


class Version(NamedTuple):
    """Version of the package, and a digest of the sources that tasks follow from."""

    version: str
    sources: str

    def __str__(self) -> str:
        return f"{self.version} ({self.sources})"


@cache
def this_version() -> Version:
    """Version of this process."""
    package = Path(__file__).parents[2]
    digest = hashlib.sha256()
    places = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    for place, path in sorted(places.items()):
        if place.partition("/")[0] not in _BESIDE:
            digest.update(place.encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return Version(VERSION, digest.hexdigest()[:12])


def require_version(version: Any, whose: str, remedy: str) -> None:
    """Raise InputError with both versions unless the other one is this one.

    version: version and digest of its sources. whose: what has them, at the beginning of the
    sentence. remedy: what to do, at its end.
    """
    if tuple(version) != tuple(this_version()):
        versions = f"version {Version(*version)} of Terrain Erosion, and this is {this_version()}"
        raise InputError(f"{whose} {versions}; {remedy}.")
