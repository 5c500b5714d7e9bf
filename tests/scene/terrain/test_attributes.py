# SPDX-License-Identifier: GPL-3.0-or-later
"""Fields as attributes; the user's attributes stay."""

import bpy
import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.scene.terrain import attribute_values, attributes, grid
from erosion_addon.scene.terrain.attribute_values import MEMBERS


def fields_for(
    lattice, names=("wear", "moisture", "sediment", "velocity", "surface_color"), seed=0
):
    random = np.random.default_rng(seed)
    components = {"velocity": (2,), "surface_color": (3,)}
    shape = (lattice.rows, lattice.cols)
    return {
        name: random.random((*shape, *components.get(name, ()))).astype(np.float32)
        for name in names
    }


def shuffled(make_points):
    row, col = np.mgrid[:5, :4]
    points = np.stack([col.ravel(), row.ravel(), np.zeros(20)], -1)
    return make_points(points[np.random.default_rng(1).permutation(20)])


def test_fields_come_back_as_written_in_any_vertex_order(make_points):
    obj = shuffled(make_points)
    lattice = grid.find_lattice(obj)
    fields = fields_for(lattice)
    attributes.write_fields(obj.data, lattice, fields)
    found = attributes.read_fields(obj.data, lattice, [*fields, "grass"])
    assert found.keys() == fields.keys()
    for name, values in fields.items():
        assert np.array_equal(found[name], values)


def test_each_vertex_gets_the_value_of_its_cell(make_points):
    obj = shuffled(make_points)
    lattice = grid.find_lattice(obj)
    row, col = np.mgrid[:5, :4]
    attributes.write_fields(obj.data, lattice, {"wear": (10 * row + col).astype(np.float32)})
    for vertex, element in zip(obj.data.vertices, obj.data.attributes["wear"].data, strict=True):
        assert element.value == 10 * vertex.co.y + vertex.co.x


def test_fields_have_the_types_that_the_contract_names(make_hills):
    mesh = make_hills().data
    lattice = grid.find_lattice(bpy.data.objects["Hills"])
    attributes.write_fields(mesh, lattice, {**fields_for(lattice), "elevation": np.zeros((6, 5))})
    kinds = {
        name: mesh.attributes[name].data_type
        for name in attributes.attribute_names(fields_for(lattice))
    }
    assert kinds == {
        "wear": "FLOAT",
        "moisture": "FLOAT",
        "sediment": "FLOAT",
        "velocity": "FLOAT2",
        "surface_color": "FLOAT_COLOR",
        "moisture_color": "FLOAT_COLOR",
        "sediment_color": "FLOAT_COLOR",
        "maps_color": "FLOAT_COLOR",
    }
    assert all(mesh.attributes[name].domain == "POINT" for name in kinds)
    assert "elevation" not in mesh.attributes


def test_writing_again_overwrites_in_place(make_hills):
    obj = make_hills()
    lattice = grid.find_lattice(obj)
    attributes.write_fields(obj.data, lattice, fields_for(lattice))
    before = [attribute.name for attribute in obj.data.attributes]
    second = fields_for(lattice, seed=5)
    attributes.write_fields(obj.data, lattice, second)
    assert [attribute.name for attribute in obj.data.attributes] == before
    assert np.array_equal(
        attributes.read_fields(obj.data, lattice, ["wear"])["wear"], second["wear"]
    )


def test_everything_of_the_users_stays_and_removing_leaves_no_trace(make_hills, everything_of):
    obj = make_hills()
    mesh = obj.data
    mesh.materials.append(bpy.data.materials.new("Rock"))
    for name, data_type, domain in [
        ("Paint", "FLOAT_COLOR", "POINT"),
        ("Second", "BYTE_COLOR", "CORNER"),
        ("mine", "INT", "FACE"),
    ]:
        mesh.attributes.new(name, data_type, domain)
    mesh.color_attributes.active_color_name = "Second"
    mesh.color_attributes.default_color_name = "Paint"
    mesh.attributes.active = mesh.attributes["mine"]
    mesh["note"] = "keep"
    obj.vertex_groups.new(name="Group").add([1, 2, 3], 0.5, "REPLACE")
    before = everything_of(mesh)
    lattice = grid.find_lattice(obj)
    attributes.write_fields(mesh, lattice, fields_for(lattice))
    during = everything_of(mesh)
    assert all(during[key] == value for key, value in before.items() if key != "properties")
    attributes.remove_fields(mesh)
    assert everything_of(mesh) == before


def test_a_painted_color_under_a_fields_name_comes_back(make_hills, everything_of):
    obj = make_hills()
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    painted = np.random.default_rng(8).random(30 * 4).astype(np.float32)
    mesh.attributes.new("surface_color", "FLOAT_COLOR", "POINT").data.foreach_set("color", painted)
    before = everything_of(mesh)
    for seed in (1, 2):
        attributes.write_fields(mesh, lattice, fields_for(lattice, seed=seed))
        found = attributes.read_fields(
            mesh, lattice, ["surface_color", "wear"], before_erosion=True
        )
        assert found.keys() == {"surface_color"}
        assert np.array_equal(found["surface_color"].ravel(), painted.reshape(-1, 4)[:, :3].ravel())
    attributes.remove_fields(mesh)
    assert everything_of(mesh) == before


@pytest.mark.parametrize(
    ("data_type", "domain"), [("INT", "POINT"), ("FLOAT", "FACE"), ("BYTE_COLOR", "CORNER")]
)
def test_an_attribute_of_another_kind_under_a_fields_name_is_refused_first(
    make_hills, everything_of, data_type, domain
):
    obj = make_hills()
    lattice = grid.find_lattice(obj)
    obj.data.attributes.new("moisture", data_type, domain)
    before = everything_of(obj.data)
    with pytest.raises(InputError, match="attribute moisture of another kind"):
        attributes.write_fields(obj.data, lattice, fields_for(lattice))
    assert everything_of(obj.data) == before


def test_a_vertex_group_under_a_fields_name_is_refused_first(make_hills, everything_of):
    obj = make_hills()
    lattice = grid.find_lattice(obj)
    obj.vertex_groups.new(name="sediment_color")
    before = everything_of(obj.data)
    with pytest.raises(InputError, match="vertex group sediment_color"):
        attributes.write_fields(obj.data, lattice, fields_for(lattice))
    attributes.write_fields(obj.data, lattice, fields_for(lattice, ["wear"]))
    attributes.remove_fields(obj.data)
    assert everything_of(obj.data) == before


def test_ours_may_be_converted_or_removed_by_the_user_and_is_written_all_the_same(make_hills):
    obj = make_hills()
    lattice = grid.find_lattice(obj)
    attributes.write_fields(obj.data, lattice, fields_for(lattice))
    for name in ("wear", "moisture", "velocity"):
        obj.data.attributes.remove(obj.data.attributes[name])
    obj.data.attributes.new("wear", "INT", "FACE")
    fields = fields_for(lattice, seed=9)
    attributes.write_fields(obj.data, lattice, fields)
    found = attributes.read_fields(obj.data, lattice, fields)
    assert all(np.array_equal(found[name], fields[name]) for name in fields)


CONVERTED = [
    ("INT", "FACE"),
    ("BOOLEAN", "POINT"),
    ("FLOAT_VECTOR", "CORNER"),
    ("BYTE_COLOR", "POINT"),
    ("STRING", "POINT"),
    ("INT32_2D", "EDGE"),
    ("QUATERNION", "POINT"),
    ("FLOAT4X4", "FACE"),
]


@pytest.mark.parametrize(("data_type", "domain"), CONVERTED)
def test_a_copy_undoes_a_write_to_a_field_that_the_user_has_converted(
    make_hills, everything_of, data_type, domain
):
    obj = make_hills()
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    attributes.write_fields(mesh, lattice, fields_for(lattice))
    mesh.attributes.remove(mesh.attributes["wear"])
    mesh.attributes.new("wear", data_type, domain)
    if data_type in MEMBERS:
        member, dtype, count = MEMBERS[data_type]
        values = (np.arange(len(mesh.attributes["wear"].data) * count) % 2).astype(dtype)
        mesh.attributes["wear"].data.foreach_set(member, values)
    else:
        mesh.attributes["wear"].data[3].value = b"old"
    backup = mesh.copy()
    attributes.write_fields(mesh, lattice, fields_for(lattice, seed=2))
    assert (mesh.attributes["wear"].data_type, mesh.attributes["wear"].domain) == ("FLOAT", "POINT")
    attributes.copy_fields(backup, mesh)
    made = mesh.attributes["wear"]
    assert (made.data_type, made.domain) == (data_type, domain)
    if data_type in MEMBERS:
        assert np.array_equal(attribute_values.read(made).ravel(), values)
    else:
        assert made.data[3].value == b"old"


@pytest.mark.parametrize(
    "garbage", [7, "wear", 1.5, [1, 2], {"wear": 1}, ["position", ".corner_vert", "nothing"], []]
)
def test_something_else_in_place_of_our_names_counts_as_none(make_hills, everything_of, garbage):
    obj = make_hills()
    obj.data[attributes.OURS] = garbage
    before = everything_of(obj.data)
    assert attributes.ours(obj.data) == []
    lattice = grid.find_lattice(obj)
    fields = fields_for(lattice)
    attributes.write_fields(obj.data, lattice, fields)
    assert np.array_equal(
        attributes.read_fields(obj.data, lattice, ["wear"])["wear"], fields["wear"]
    )
    attributes.remove_fields(obj.data)
    after = everything_of(obj.data)
    assert {key: after[key] for key in before if key != "properties"} == {
        key: value for key, value in before.items() if key != "properties"
    }


@pytest.mark.parametrize("written_before", [(), ("wear", "moisture")])
def test_a_copy_of_the_mesh_undoes_a_write(make_hills, everything_of, written_before):
    obj = make_hills()
    mesh = obj.data
    lattice = grid.find_lattice(obj)
    mesh.attributes.new("surface_color", "FLOAT_COLOR", "POINT").data.foreach_set(
        "color", np.full(120, 0.5, "f4")
    )
    attributes.write_fields(mesh, lattice, fields_for(lattice, written_before))
    before = everything_of(mesh)
    backup = mesh.copy()
    attributes.write_fields(mesh, lattice, fields_for(lattice, seed=2))
    attributes.copy_fields(backup, mesh)
    bpy.data.meshes.remove(backup)
    assert everything_of(mesh) == before
