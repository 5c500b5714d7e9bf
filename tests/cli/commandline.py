# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the tests of the command line: calls of it, and checks of the files it leaves."""

import hashlib
import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

from erosion_addon.files.image_files import OpenImageIOFiles

ROOT = Path(__file__).resolve().parents[2]
IMAGES = OpenImageIOFiles()
FEW = ("--set", "droplet.drops_per_cell=0.5")
DROPLET_MAPS = {"elevation", "bedrock", "sediment", "flow", "moisture", "wear", "deposition"}


def listing(folder):
    """Every path below `folder` with the hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        if path.is_file()
        else None
        for path in sorted(folder.rglob("*"))
    }


def run(*words, **environment):
    """`python -m erosion_addon` in the current folder; it speaks UTF-8 whatever the locale is."""
    return subprocess.run(
        [sys.executable, "-m", "erosion_addon", *words],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONIOENCODING": "utf-8",
            **environment,
        },
        capture_output=True,
        check=False,
    )


def png(rows, cols, pixels=b"", bits=16):
    """A gray PNG that claims rows x cols and holds the given bytes, each row after a filter byte
    0.
    """

    def chunk(name, data):
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    header = struct.pack(">IIBBBBB", cols, rows, bits, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(pixels))
        + chunk(b"IEND", b"")
    )
