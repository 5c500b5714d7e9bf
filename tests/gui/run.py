# SPDX-License-Identifier: GPL-3.0-or-later
"""Drive the built extension in a real Blender window on a virtual screen.

    python tests/gui/run.py [--allow-skip] [--at-once N] [SESSION ...]

The Blender is the program that BLENDER names; without it, one from Debian's packages in a folder of
its own (made on first use, as root, by root.sh; TERRAIN_EROSION_ROOT names another folder).
Pictures go to build/gui. Exit code 0: all went well; 1: something failed; 3: could not run here,
which --allow-skip turns into 0.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
OUTPUT = REPOSITORY / "build" / "gui"
PYTHON_VERSION = "import sys; print('PYTHON', '{}.{}'.format(*sys.version_info))"


class CannotRunError(Exception):
    """Why there can be no window on this machine."""


class LocalBlender:
    """The program that the user names, on this machine."""

    python = sys.executable
    output = str(OUTPUT)
    here = str(HERE)

    def __init__(self, program):
        self.blender = program
        if missing := [
            tool for tool in (program, "Xvfb", "import", "xdotool") if not shutil.which(tool)
        ]:
            raise CannotRunError(
                f"{', '.join(missing)} not found (xvfb, imagemagick and xdotool are the packages)"
            )

    def run(self, *command, **options):
        environment = os.environ | {"BLENDER_USER_RESOURCES": f"{self.output}/profile"}
        return subprocess.run(command, env=environment, **options)


class DebianBlender:
    """Debian's Blender in a folder that root.sh makes; sees build/gui as /out and this folder as
    /gui.
    """

    python = "python3"
    blender = "blender"
    output = "/out"
    here = "/gui"

    def __init__(self):
        default = Path.home() / ".cache" / "terrain-erosion" / "blender-root"
        self.folder = os.environ.get("TERRAIN_EROSION_ROOT", default)
        if sys.platform != "linux" or not shutil.which("apt-get"):
            raise CannotRunError(
                "this is not a Debian or Ubuntu; BLENDER=/path/to/blender must name a Blender"
            )
        if os.geteuid() != 0:
            raise CannotRunError(
                "only root can make and enter a Debian folder; or set BLENDER=/path/to/blender"
            )
        if subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True
        ).returncode:
            raise CannotRunError(
                "this machine allows no namespaces (unshare); or set BLENDER=/path/to/blender"
            )
        made = subprocess.run([HERE / "root.sh", self.folder], capture_output=True, text=True)
        if made.returncode:
            raise CannotRunError(
                f"no Debian folder could be made in {self.folder}:\n{made.stdout}{made.stderr}"
            )

    def run(self, *command, **options):
        return subprocess.run(
            [
                HERE / "enter.sh",
                self.folder,
                "--bind",
                OUTPUT,
                "/out",
                "--bind",
                HERE,
                "/gui",
                "env",
                "BLENDER_USER_RESOURCES=/out/profile",
                "PYTHONDONTWRITEBYTECODE=1",
                *command,
            ],
            **options,
        )


def install(place):
    """Build the zip for that Blender's Python and install it in an empty profile. Raises
    CalledProcessError.
    """
    shutil.rmtree(OUTPUT, ignore_errors=True)
    # Blender takes the user's own where this does not exist
    (OUTPUT / "profile").mkdir(parents=True)
    said = place.run(
        place.blender,
        "--background",
        "--factory-startup",
        "--python-expr",
        PYTHON_VERSION,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    version = next(line.split()[1] for line in said.splitlines() if line.startswith("PYTHON "))
    packer = REPOSITORY / "release" / "zip.py"
    made = subprocess.run(
        [sys.executable, packer, "--python", version, "--output", OUTPUT],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout
    print(f"Python {version} in Blender; {made.strip()}", flush=True)
    place.run(
        place.blender,
        "--command",
        "extension",
        "install-file",
        "--repo",
        "user_default",
        "--enable",
        f"{place.output}/{Path(made.strip()).name}",
        check=True,
    )


def main():
    parser = argparse.ArgumentParser(description="Drive the extension in a real Blender window.")
    parser.add_argument("--allow-skip", action="store_true", help="exit with 0 where it cannot run")
    parser.add_argument(
        "--at-once", type=int, default=2, metavar="N", help="sessions at a time; default: 2"
    )
    names = (
        "first, artist, live, look, waters, attended, faults, trials, autosave, recipes, choices, "
        "brush, ends, frames, mouse"
    )
    parser.add_argument(
        "sessions", nargs="*", metavar="SESSION", help=f"{names}; default: all; or pages"
    )
    words = parser.parse_args()
    try:
        place = LocalBlender(os.environ["BLENDER"]) if "BLENDER" in os.environ else DebianBlender()
    except CannotRunError as reason:
        print(f"GUI TESTS NOT RUN: {reason}")
        return 0 if words.allow_skip else 3
    try:
        install(place)
    except subprocess.CalledProcessError as error:
        print(
            "the extension could not be installed: "
            f"{error}\n{error.output or ''}{error.stderr or ''}"
        )
        return 1
    scenario = (f"{place.here}/scenario.py", place.blender, place.output, str(words.at_once))
    return place.run(place.python, *scenario, *words.sessions).returncode


if __name__ == "__main__":
    sys.exit(main())
