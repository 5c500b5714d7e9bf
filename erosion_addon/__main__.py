# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m erosion_addon` and, where pip installed it, `terrain-erosion`: the command line
without Blender.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 - pathlib takes time to import
if __name__ == "__main__" and sys.path[0] == os.getcwd() != _FOLDER:  # noqa: PTH109
    # `python -m` looks there first: modules in a stranger's folder would run in place of libraries.
    del sys.path[0]

from .cli.commands import main  # noqa: E402
from .cli.terminal.signals import leave  # noqa: E402


def run(program: str = "terrain-erosion") -> None:
    """The command `terrain-erosion`, which ends the process."""
    leave(main(program=program))


if __name__ == "__main__":
    run("python -m erosion_addon")
