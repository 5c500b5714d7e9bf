# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m erosion_addon` and, where pip installed it, `terrain-erosion`: the command line without Blender."""

import sys

from .cli.commands import main


def run() -> int:
    """The command `terrain-erosion`; returns the exit code."""
    return main()


if __name__ == "__main__":
    sys.exit(main(program="python -m erosion_addon"))
