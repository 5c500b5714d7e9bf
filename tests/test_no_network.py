# SPDX-License-Identifier: GPL-3.0-or-later
"""No socket is ever opened: the system kills whoever tries, and everything works."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import no_network
from tests.blender_child import END

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.worker,
    pytest.mark.skipif(not no_network.possible(), reason="seccomp is Linux"),
]

FORBID = "from tests.no_network import forbid; forbid()\n"

COMMANDS = """
import os
from erosion_addon.cli.commands import main
os.chdir({folder!r})
for line in (
    "make fractal land.tif --size 70x80",
    "erode land.tif out.exr --recipe alpine --maps maps --report report.json --quiet",
    "analyze land.tif --plot plot.svg",
    "convert land.tif land.png --tiles 2x2 --size 33x33",
    "rivers land.tif rivers.geojson",
    "variants land.tif several --recipe arcane --seeds 2 --side 64 --quiet",
    "landscape make land land.tif --tile 64 --quiet",
    "landscape erode land --recipe arcane --coarse 64 --quiet",
    "landscape analyze land --quiet",
):
    assert main(line.split()) == 0, line
print("done")
"""

IN_BLENDER = """
import bpy
bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
from tests.no_network import forbid
forbid()
import erosion_addon
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.scene.worker import worker_process
from tests.terrains import fractal
erosion_addon.register()
collection = bpy.context.scene.collection
obj = make_grid_object("Land", fractal(24, 32, 120.0), (10.0, 10.0), collection)
bpy.context.view_layer.objects.active = obj
obj.select_set(True)
bpy.ops.erosion.recipe_load(name="arcane")
for name in ("run", "light_bake", "lod_add", "analyze", "rivers_add", "variants", "restore"):
    assert getattr(bpy.ops.erosion, name)() == {{"FINISHED"}}, name
worker = worker_process.ready()._process.pid
assert "Seccomp:\\t2" in open(f"/proc/{{worker}}/status").read()
bpy.ops.wm.save_as_mainfile(filepath={file!r})
bpy.ops.wm.open_mainfile(filepath={file!r})
erosion_addon.unregister()
print("done")
"""


def run(program):
    """Run a program that forbids itself the network."""
    command = [sys.executable, "-W", "ignore", "-c", program + END]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_NETLINK"])
@pytest.mark.parametrize("where", ["itself", "a child"])
def test_whoever_opens_a_socket_is_killed(family, where):
    asks = f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)"
    child = (
        "import subprocess, sys; sys.exit(-subprocess.run([sys.executable, '-c', "
        f"{asks!r}]).returncode)"
    )
    done = run(FORBID + (asks if where == "itself" else child))
    assert abs(done.returncode) == signal.SIGSYS


def test_a_socket_on_this_machine_is_allowed():
    assert run(FORBID + "import socket; socket.socket(socket.AF_UNIX)").returncode == 0


def test_the_command_line_opens_no_socket(tmp_path):
    done = run(FORBID + COMMANDS.format(folder=str(tmp_path)))
    assert done.stdout.splitlines()[-1:] == ["done"], (done.returncode, done.stderr)


def test_the_extension_and_its_worker_open_no_socket(tmp_path):
    """From the moment that Blender stands: its own extensions look for the network while they are
    imported.
    """
    done = run(IN_BLENDER.format(file=str(tmp_path / "land.blend")))
    assert done.stdout.splitlines()[-1:] == ["done"], (done.returncode, done.stdout, done.stderr)
