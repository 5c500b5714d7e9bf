# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants and boulders as scattered instances: conifers, broad-leaved trees, palms, hedges, shrubs,
tufts of grass.

A mesh of points holds each plant's place, size, rotation and color; Geometry Nodes set forms onto
them. Points are placed again after each run, more densely near the camera. Forms are objects of a
collection, which may be replaced.
"""

import json
import math
from contextlib import suppress
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...base.arrays import longer_side
from ...base.errors import InputError
from ..companions import companions, visible_water
from ..materials import material
from ..materials.node_trees import nodes
from ..materials.palette import FOREDUNE, TREE_LINE, Palette
from ..terrain import attribute_values, attributes, grid
from ..terrain.attribute_values import Values
from ..terrain.lattice import Array, Lattice
from ..terrain.mesh import NO_FACES, Geometry, positions
from . import placing, plant_nodes
from .forms import Form

KIND = "plants"

SETTINGS = "erosion_plants"
"""Custom property of the plants: their settings as JSON."""

FORMS = "Plant Forms"
"""Mark and name of the collection of forms."""

READ = ("moisture", "deposition", "snow", "water_depth", "river", "lake")
"""Fields that plants depend on."""

TREE_LINE_USUAL = 0.9

GROUPS = {
    "trees": ("conifers", "broadleaf", "palms", "hedges"),
    "shrubs": ("shrubs",),
    "grass": ("tufts",),
    "boulders": ("boulders",),
}
"""Setting → kinds that it switches."""

USUAL = {"density": 1.0, "size": 0.0, "limit": 60_000, **dict.fromkeys(GROUPS, True)}
"""Settings: share of the palette's density; factor of heights, 0: by the width of the land; most
instances; kinds.
"""


def add(terrain: bpy.types.Object, **settings: float | bool) -> bpy.types.Object:
    """Add plants and boulders to the terrain, or change their settings; see `USUAL`.

    Kinds and colors follow the terrain's palette. InputError if nothing grows there.
    """
    options = {**USUAL, **settings}
    land = _land(terrain, options)
    spots = _spots(terrain, land, options)
    if not len(spots.x):
        raise InputError(
            "Nothing grows on {name}: it is too steep, high, wet or small for plants of its "
            "palette. Choose another palette or a smaller Size."
        ).format(name=terrain.name)
    objects = companions.find(terrain, KIND)
    if not objects:
        name = f"{terrain.name} Plants"
        objects = [companions.add(terrain, KIND, name, bpy.data.meshes.new(name))]
        modifier = objects[0].modifiers.new("Plants", "NODES")
        modifier.node_group = plant_nodes.plant_group()
        nodes.set_modifier_input(modifier, "Forms", _forms())
        objects[0].hide_select = True  # clicks on a tree select the land
    companions.put_in_place(terrain)
    for plants in objects:
        plants[SETTINGS] = json.dumps(options)
        if not plants.data.is_editmode:
            _geometry(land, spots).put_into(plants.data)
    return objects[0]


def renew(terrain: bpy.types.Object, add_missing: bool) -> None:
    """Place the terrain's plants again. Without any, the usual ones may be added to land with our
    material, if they grow there.
    """
    objects = companions.find(terrain, KIND)
    for plants in objects:
        if not plants.data.is_editmode:
            update(terrain, plants)
    if (
        add_missing
        and not objects
        and any(material.is_ours(slot.material) for slot in terrain.material_slots)
    ):
        with suppress(InputError):  # on bare ground nothing is missing
            add(terrain)


def settings_of(plants: bpy.types.Object) -> dict[str, float | bool]:
    """Settings of plants; the usual ones for invalid content."""
    try:
        stored = json.loads(plants[SETTINGS])
        values = {key: type(value)(stored[key]) for key, value in USUAL.items() if key in stored}
    except (KeyError, TypeError, ValueError, RecursionError):
        return dict(USUAL)
    good = all(math.isfinite(value) and 0 <= value <= 1e6 for value in values.values())
    return {**USUAL, **values} if good else dict(USUAL)


def update(terrain: bpy.types.Object, plants: bpy.types.Object) -> None:
    """Place the plants again by the current ground and camera."""
    options = settings_of(plants)
    land = _land(terrain, options)
    _geometry(land, _spots(terrain, land, options)).put_into(plants.data)


class _Land(NamedTuple):
    """Ground of plants. place: (vertices, 3) local; low, units: see `Lattice.frame`. ground: in
    units of `size`, so that a size scales the land, not the plants.
    """

    lattice: Lattice
    place: Array
    low: Array
    units: Array
    ground: placing.Ground
    size: float
    palette: Palette


def _land(terrain: bpy.types.Object, options: dict[str, float | bool]) -> _Land:
    place = positions(terrain.data)
    lattice = grid.lattice_of(terrain, place)
    size = float(options["size"]) or _usual_size(lattice)
    ground = _ground(terrain, lattice, place[:, 2], size)
    low, units = lattice.frame(place)
    return _Land(lattice, place, low, units, ground, size, material.palette_of(terrain))


def _usual_size(lattice: Lattice) -> float:
    """Default factor of heights: that of the terrain material's lengths on such land."""
    return min(longer_side((lattice.rows, lattice.cols), lattice.spacing) / material.LAND, 1.0)


def _spots(
    terrain: bpy.types.Object, land: _Land, options: dict[str, float | bool]
) -> placing.Spots:
    densities = land.palette.plants
    mixture = {
        kind: densities[kind] * options["density"]
        for group, kinds in GROUPS.items()
        for kind in kinds
        if options[group] and kind in densities
    }
    tree_line = densities.get(TREE_LINE, TREE_LINE_USUAL)
    dense = placing.densities(land.ground, mixture, tree_line, densities.get(FOREDUNE, 0.0))
    return placing.scatter(land.ground, dense, int(options["limit"]), _eye(terrain, land))


def _ground(
    terrain: bpy.types.Object, lattice: Lattice, heights: Array, size: float
) -> placing.Ground:
    mesh = terrain.data
    elevation = grid.terrain_of(lattice, heights).elevation
    fields = attributes.read_fields(
        mesh, lattice, [name for name in READ if attributes.holds(mesh, name)]
    )
    water = visible_water.where(terrain, lattice, elevation)
    row, col = lattice.spacing
    return placing.Ground(elevation / size, (row / size, col / size), fields, water)


def _eye(terrain: bpy.types.Object, land: _Land) -> tuple[float, float, float] | None:
    """The camera's position in the axes of the spots; None without a camera."""
    camera = bpy.context.scene.camera
    if camera is None:
        return None
    if camera.parent is None:
        where = camera.matrix_basis.translation
    else:
        where = camera.matrix_world.translation
    local = terrain.matrix_world.inverted_safe() @ Vector(where)
    x, y = (np.array(local[:2]) - land.low) / land.units / land.size
    return float(x), float(y), local.z * land.lattice.scale_z / land.size


def _geometry(land: _Land, spots: placing.Spots) -> Geometry:
    """A point for each plant."""
    lattice = land.lattice
    units = land.units
    x = spots.x * land.size
    y = spots.y * land.size
    height = spots.height * land.size
    local = lattice.to_grid(land.place[:, 2])
    points = np.empty((len(x), 3), np.float32)
    points[:, :2] = land.low + np.column_stack((x, y)) * units
    points[:, 2] = placing.sample(local, lattice.spacing, x, y) if len(x) else 0
    if not len(points):
        return Geometry.of(points, NO_FACES, True, {})
    # No two are alike: slender and wide ones, which lean a little.
    wide = height * (0.75 + 0.5 * _lot(spots, 7.0))
    lean = 0.12 * (_lot(spots, 13.0) - 0.5)
    tall = np.column_stack((wide * units[0], wide * units[1], height / lattice.scale_z))
    turn = np.column_stack((lean, lean, spots.turn))
    moisture = land.ground.fields.get("moisture")
    moist = (
        np.zeros(len(x)) if moisture is None else placing.sample(moisture, lattice.spacing, x, y)
    )
    values = {
        plant_nodes.FORM: spots.form.astype(np.float32),
        plant_nodes.SIZE: tall,
        plant_nodes.TURN: turn,
        plant_nodes.COLOR: _colors(land.palette, spots, moist),
    }
    by_name = {name: Values.of_vertices(numbers) for name, numbers in values.items()}
    return Geometry.of(points, NO_FACES, True, by_name)


def _colors(palette: Palette, spots: placing.Spots, moist: Array) -> Array:
    """Linear color of each plant (count, 3): the palette's, by moisture, and by chance."""
    dry, lush, rock = (
        np.array(palette.color(name)) for name in ("Grass Dry", "Grass Lush", "Rock Color")
    )
    needles = np.array([0.016, 0.030, 0.014])
    leaves = np.array([0.030, 0.052, 0.014])
    wet = np.clip(1.6 * moist + 0.5 * (spots.tint - 0.5), 0, 1)[:, None]
    grass = dry + (lush - dry) * wet
    kinds = {
        "conifers": 1.2 * needles + 0.2 * grass,
        "broadleaf": 0.7 * leaves + 0.5 * grass,
        "palms": 0.7 * leaves + 0.3 * grass,
        "hedges": 0.6 * leaves + 0.45 * grass,
        "shrubs": 0.25 * leaves + 0.6 * grass,
        "tufts": 0.4 * leaves + 0.55 * grass,
        "boulders": np.broadcast_to(rock, (len(moist), 3)),
    }
    colors = np.choose(
        spots.kind[:, None].astype(int), [kinds[kind.name] for kind in placing.KINDS]
    )
    warm = 0.35 * (_lot(spots, 29.0) - 0.5)[:, None] * np.array([1.0, 0.2, -0.5])
    return np.asarray(colors * (0.65 + 0.7 * spots.tint[:, None]) * (1 + warm))


def _lot(spots: placing.Spots, times: float) -> Array:
    """A further random number 0-1 for each plant."""
    return np.asarray(spots.tint * times % 1.0)


def _forms() -> bpy.types.Collection:
    """Collection of the forms, in no scene: the existing one, or a new one."""
    existing = nodes.find(bpy.data.collections, FORMS)
    if existing is not None:
        return existing
    collection = bpy.data.collections.new(FORMS)
    collection[nodes.KIND] = FORMS
    surface = plant_nodes.plant_material()
    for number, (kind, seed, detail) in enumerate(placing.FORMS):
        name = f"Plant {number:02d} {kind.name.capitalize()}"
        obj = bpy.data.objects.new(name, _mesh(name, kind.form(7 * seed + 1, detail)))
        obj[nodes.KIND] = FORMS
        obj.data.materials.append(surface)
        collection.objects.link(obj)
    return collection


def _mesh(name: str, form: Form) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    mesh[nodes.KIND] = FORMS
    mesh.from_pydata(form.place, [], form.faces)
    for attribute, values in ((plant_nodes.LEAF, form.leaf), (plant_nodes.SHADE, form.shade)):
        attribute_values.add(mesh, attribute, Values.of_vertices(values))
    mesh.normals_split_custom_set_from_vertices(form.normal)
    return mesh
