# SPDX-License-Identifier: GPL-3.0-or-later
"""Node groups for tests, each built once a process: Blender updates the whole tree after every node
and link, which takes 1.3 s for that of the terrain.
"""

import bpy
import pytest

from erosion_addon.scene.materials.node_trees import nodes


@pytest.fixture(scope="session", autouse=True)
def groups_from_a_file(tmp_path_factory):
    """The second group of a kind is read from a file with the first one."""
    build = nodes.node_group
    files = {}

    def node_group(kind, version, sockets, table, tree="ShaderNodeTree"):
        key = kind, version, tree, id(sockets), id(table)
        if nodes.find(bpy.data.node_groups, kind) is not None:
            return build(kind, version, sockets, table, tree)
        if key in files:
            return _read(*files[key])
        group = build(kind, version, sockets, table, tree)
        path = tmp_path_factory.mktemp("groups") / "group.blend"
        bpy.data.libraries.write(str(path), {group})
        files[key] = path, group.name
        return group

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nodes, "node_group", node_group)
        yield


def _read(path, name):
    libraries = set(bpy.data.libraries)
    with bpy.data.libraries.load(str(path)) as (_, wanted):
        wanted.node_groups = [name]
    bpy.data.batch_remove(set(bpy.data.libraries) - libraries)
    return wanted.node_groups[0]
