# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback of frames: a Geometry Nodes modifier that shows the heights and fields of each frame.

The mesh is not changed. Only Blender's own nodes are used, so the file plays on machines without
the extension.
"""

from pathlib import Path

import bpy

from ...base.errors import InputError
from ...run.frames.frame_files import frame_file
from ...run.frames.record import Record
from ...terrain.fields import FIELDS
from ..materials.node_trees import nodes
from ..terrain import grid
from . import playback_nodes

KIND = "Frames"


def find(terrain: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """Modifier that plays frames on the terrain; None if there is none."""
    for modifier in terrain.modifiers:
        if (
            modifier.type == "NODES"
            and modifier.node_group is not None
            and modifier.node_group.get(nodes.KIND) == KIND
        ):
            return modifier
    return None


def add(
    terrain: bpy.types.Object, folder: Path, record: Record, start: float = 1.0
) -> bpy.types.NodesModifier:
    """Play the frames in a folder on the terrain, replacing an earlier playback.

    start: scene frame of frame 0. InputError if their grid differs from the terrain's.
    """
    lattice = grid.find_lattice(terrain)
    if (lattice.rows, lattice.cols) != record.size:
        sizes = [f"{cols} × {rows}" for rows, cols in (record.size, (lattice.rows, lattice.cols))]
        raise InputError(
            "The frames in {folder} have {size} cells, but {name} has {cells}; choose the "
            "folder of its own frames."
        ).format(folder=folder, size=sizes[0], name=terrain.name, cells=sizes[1])
    remove(terrain)
    fields = [name for name in record.fields if name != "elevation"]
    names = [image for name in record.fields for image in FIELDS[name].images]
    images = {
        name: _sequence(folder / frame_file(name, record.kept), f"{terrain.name} {name}")
        for name in names
    }
    group = bpy.data.node_groups.new(f"{terrain.name} Frames", "GeometryNodeTree")
    group[nodes.KIND] = KIND
    table = playback_nodes.nodes(images, fields, record.kept)
    nodes.fill_group(group, playback_nodes.sockets(record.kept, lattice.scale_z), table)
    modifier = terrain.modifiers.new("Frames", "NODES")
    modifier.node_group = group
    # before others, such as Subdivision
    terrain.modifiers.move(len(terrain.modifiers) - 1, 0)
    nodes.set_modifier_input(modifier, "Start", start)
    return modifier


def remove(terrain: bpy.types.Object) -> None:
    """Remove the playback from the terrain, with the group and images that nothing else uses."""
    while (modifier := find(terrain)) is not None:
        group = modifier.node_group
        terrain.modifiers.remove(modifier)
        if group.users:
            continue
        images = {
            node.inputs["Image"].default_value for node in group.nodes if "Image" in node.inputs
        }
        bpy.data.node_groups.remove(group)
        for image in images:
            if image is not None and not image.users:
                bpy.data.images.remove(image)


def _sequence(file: Path, name: str) -> bpy.types.Image:
    """Image sequence of the frames beside a file, with the numbers of the files."""
    try:
        image = bpy.data.images.load(str(file), check_existing=False)
    except RuntimeError as error:
        raise InputError(
            "{file} cannot be read; delete the frames and run the terrain again."
        ).format(file=file) from error
    image.name = name
    image.source = "SEQUENCE"
    image.colorspace_settings.name = "Non-Color"
    if bpy.data.filepath:
        image.filepath = _relative(image.filepath)
    return image


def _relative(path: str) -> str:
    """Path relative to the .blend file; absolute on another drive."""
    try:
        return bpy.path.relpath(path)
    except ValueError:
        return path
