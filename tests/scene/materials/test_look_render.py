# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendered terrain material: one tile for each kind of ground, seen from above."""

import colorsys
import math

import bpy
import numpy as np
import pytest

from erosion_addon.scene.companions import material_inputs
from erosion_addon.scene.derived import light
from erosion_addon.scene.materials import material
from erosion_addon.scene.terrain import attributes, grid
from erosion_addon.scene.terrain.mesh import make_grid_object
from tests import blender_child

pytestmark = pytest.mark.render

EEVEE = "BLENDER_EEVEE" if bpy.app.version >= (5, 0, 0) else "BLENDER_EEVEE_NEXT"
TILE = 8
"""Pixels."""

RED = (0.5, 0.02, 0.02)
TILES = {
    "dry": {},
    "all ones": {
        "moisture": 0.0,
        "sediment": 0.0,
        "wear": 0.0,
        "grass": 0.0,
        "sky_light": 1.0,
        "sun_light": 1.0,
    },
    "moist": {"moisture": 0.6},
    "river": {"moisture": 0.95},
    "pool": {"water_depth": 1.0},
    "pool below a surface": {"water_depth": 1.0, material_inputs.WATER_SURFACE: 1},
    "gravel": {"sediment": 60.0},
    "wall": {"tilt": 60},
    "wet wall": {"tilt": 60, "moisture": 0.8},
    "shaded wall": {"tilt": 60, "sky_light": 0.0},
    "red": {"surface_color": RED},
    "red wall": {"surface_color": RED, "tilt": 60},
    "black sky": {"sky_light": 0.0},
    "half a sky": {"sky_light": 0.5},
    "black sun": {"sun_light": 0.0},
    "second of two suns": {"sun_light": 1.0, "sun_light_2": 0.0, light.STRENGTHS: (2.0, 2.0, 0.0)},
    "weak second sun": {"sun_light": 1.0, "sun_light_2": 0.0, light.STRENGTHS: (1.9, 0.1, 0.0)},
    "glowing": {"glow": 1.0, "Glow Color": (0.0, 0.0, 1.0, 1.0), "Glow Strength": 0.5},
    "sand": {"palette": "dunes", "sediment": 10.0},
    "steep sand": {"palette": "dunes", "sediment": 10.0, "tilt": 32},
    "oasis": {"palette": "dunes", "sediment": 10.0, "grass": 1.0, "moisture": 0.5},
    "snow": {"palette": "alpine", "tilt": 5, "Snow Line": 0.0, "Snow": 1.0},
    "lying snow": {"palette": "alpine", "snow": 2.0, "tilt": 60, "Snow": 0.0},
    "thawed": {"palette": "alpine", "tilt": 5, "Snow Line": 0.0, "Snow": 1.0, "snow": 0.0},
    "thin snow to the north": {"palette": "alpine", "snow": 0.05, "tilt": -25},
    "thin snow to the south": {"palette": "alpine", "snow": 0.05, "tilt": 25},
    "snowless wall": {"palette": "alpine", "tilt": 60, "Snow Line": 0.0, "Snow": 1.0},
}
WORDS = "import bpy, sys; bpy.ops.wm.open_mainfile(filepath=sys.argv[1]); \
assert 'erosion_addon' not in sys.modules; scene = bpy.context.scene; \
scene.render.filepath, scene.render.engine = sys.argv[2:]; bpy.ops.render.render(write_still=True)"


def add_tile(scene, place, tilt=0, palette="temperate", **look):
    """Add a tile of 100 m, seen from above and tilted by an angle; look: fields, controls, or a
    property.
    """
    elevation = np.repeat(np.arange(3.0), 3).reshape(3, 3) * 50.0 * math.tan(math.radians(tilt))
    tile = make_grid_object("Tile", elevation, (50.0, 50.0), scene.collection)
    tile.location.x = 100.0 * place
    bpy.context.view_layer.update()
    properties = {material_inputs.WATER_SURFACE, light.STRENGTHS, "glow"} & look.keys()
    fields = {name: look[name] for name in look if name.islower() and name not in properties}
    layers = {
        name: np.full((3, 3, *np.shape(value)), value, np.float32) for name, value in fields.items()
    }
    attributes.write_fields(tile.data, grid.find_lattice(tile), layers)
    material.assign(tile, palette)
    for name in properties - {"glow"}:
        (tile if name == material_inputs.WATER_SURFACE else tile.data)[name] = look[name]
    if "glow" in look:  # painted by the user
        tile.data.attributes.new("glow", "FLOAT", "POINT").data.foreach_set(
            "value", [look["glow"]] * 9
        )
    inputs = tile.active_material.node_tree.nodes["Surface"].inputs
    # so that tiles can be compared
    inputs["Detail"].default_value = inputs["Relief"].default_value = 0.0
    for name in look.keys() - fields.keys() - properties:
        inputs[name].default_value = look[name]


def add_camera_and_sky(scene, tiles):
    """A camera above so many tiles in a row, and a white sky."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.data.type = "ORTHO"
    camera.data.ortho_scale = 100.0 * tiles
    camera.location = (50.0 * (tiles - 1), 0.0, 1000.0)
    camera.data.clip_end = 2000.0
    scene.collection.objects.link(camera)
    scene.camera, scene.world = camera, bpy.data.worlds.new("Sky")
    if bpy.app.version < (5, 0, 0):
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)


def set_renderer(scene, engine, size):
    scene.render.engine = engine
    scene.eevee.taa_render_samples = 2
    scene.cycles.samples = 16
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"


def colors_in(path):
    """Mean (red, green, blue) of each tile in a picture."""
    image = bpy.data.images.load(str(path))
    pixels = np.empty(4 * TILE * TILE * len(TILES), np.float32)
    image.pixels.foreach_get(pixels)
    strips = np.split(pixels.reshape(TILE, -1, 4)[..., :3], len(TILES), axis=1)
    return dict(zip(TILES, (strip[2:-2, 2:-2].mean(axis=(0, 1)) for strip in strips), strict=True))


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """The scene with all tiles, saved to a file."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    for place, look in enumerate(TILES.values()):
        add_tile(scene, place, **look)
    add_camera_and_sky(scene, len(TILES))
    set_renderer(scene, EEVEE, (TILE * len(TILES), TILE))
    folder = tmp_path_factory.mktemp("render")
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "tiles.blend"))
    return folder


@pytest.fixture(scope="module", params=[EEVEE, "CYCLES"])
def seen(request, stage):
    """Color of each tile."""
    bpy.ops.wm.open_mainfile(filepath=str(stage / "tiles.blend"))
    scene = bpy.context.scene
    scene.render.engine = request.param
    scene.render.filepath = str(stage / f"{request.param}.exr")
    bpy.ops.render.render(write_still=True)
    return colors_in(scene.render.filepath)


def hue(color):
    """0 red, 1/3 green, 2/3 blue."""
    return colorsys.rgb_to_hsv(*color)[0]


def saturation(color):
    return colorsys.rgb_to_hsv(*color)[1]


def brightness(color):
    return float(color.mean())


def blueness(color):
    return float(color[2] / color.sum())


def test_fields_that_are_missing_change_nothing(seen):
    assert seen["dry"] == pytest.approx(seen["all ones"], rel=0.03)


def test_moist_ground_is_greener_than_dry(seen):
    # Straw has a hue of about 0.15 (yellow), grass of 0.22 and more.
    assert hue(seen["moist"]) > hue(seen["dry"]) + 0.03
    assert seen["moist"][1] > seen["moist"][0]


@pytest.mark.parametrize("water", ["river", "pool"])
def test_water_is_blue_and_darker_than_all_dry_ground(seen, water):
    for name in ("dry", "gravel", "wall", "sand"):
        assert blueness(seen[water]) > blueness(seen[name]) + 0.05
        assert brightness(seen[water]) < 0.75 * brightness(seen[name])


def test_no_water_is_drawn_below_a_water_surface(seen):
    assert seen["pool below a surface"] == pytest.approx(seen["dry"], rel=0.03)


def test_gravel_is_lighter_than_the_grass_it_covers(seen):
    assert brightness(seen["gravel"]) > 1.3 * brightness(seen["dry"])


def test_a_wall_is_gray_rock_and_flat_ground_is_grown_over(seen):
    assert saturation(seen["wall"]) < 0.35 < saturation(seen["dry"])


def test_wet_rock_is_darker_so_that_grooves_show(seen):
    assert brightness(seen["wet wall"]) < 0.8 * brightness(seen["wall"])


@pytest.mark.parametrize("name", ["red", "red wall"])
def test_what_was_painted_red_is_red(seen, name):
    red, green, blue = seen[name]
    assert red > 4 * green and red > 4 * blue


def test_where_no_sky_is_seen_it_is_black_and_half_of_it_is_half(seen):
    assert brightness(seen["black sky"]) < 0.15 * brightness(seen["dry"])
    assert brightness(seen["shaded wall"]) < 0.15 * brightness(seen["wall"])
    assert brightness(seen["half a sky"]) == pytest.approx(0.5 * brightness(seen["dry"]), rel=0.15)


def test_where_no_sun_arrives_it_is_darker_but_not_black(seen):
    assert (
        0.2 * brightness(seen["dry"])
        < brightness(seen["black sun"])
        < 0.5 * brightness(seen["dry"])
    )


def test_of_several_suns_each_darkens_by_its_share_of_all_their_light(seen):
    lost = brightness(seen["dry"]) - brightness(seen["black sun"])
    for name, share in (("second of two suns", 0.5), ("weak second sun", 0.05)):
        assert brightness(seen["dry"]) - brightness(seen[name]) == pytest.approx(
            share * lost, abs=0.03 * lost
        ), name


def test_ground_that_was_painted_to_glow_shines_in_its_color(seen):
    assert seen["glowing"] - seen["dry"] == pytest.approx([0.0, 0.0, 0.5], abs=0.02)


def test_sand_is_sand_on_slopes_too_and_green_where_grass_grew(seen):
    assert seen["sand"][0] > seen["sand"][1] > seen["sand"][2]
    assert hue(seen["steep sand"]) == pytest.approx(hue(seen["sand"]), abs=0.02)
    assert seen["oasis"][1] > seen["oasis"][0]


def test_snow_is_white_and_slides_off_walls(seen):
    assert saturation(seen["snow"]) < 0.15 and brightness(seen["snow"]) > 0.5
    assert brightness(seen["snowless wall"]) < 0.4 * brightness(seen["snow"])
    # Snow of a snow step lies where it says, and nowhere else.
    assert brightness(seen["lying snow"]) > 0.9 * brightness(seen["snow"])
    assert brightness(seen["thawed"]) < 0.6 * brightness(seen["snow"])


def test_thin_snow_stays_on_shaded_slopes_and_thaws_on_sunny_ones(seen):
    north = seen["thin snow to the north"]
    south = seen["thin snow to the south"]
    assert brightness(north) > 0.8 * brightness(seen["snow"]) and brightness(
        south
    ) < 0.6 * brightness(north)


def test_nothing_is_the_magenta_of_a_broken_shader(seen):
    for name, (red, green, blue) in seen.items():
        assert not (red > 2 * green and blue > 2 * green), name


@pytest.mark.thorough
def test_the_saved_file_renders_the_same_without_the_extension(stage, seen):
    picture = stage / "alone.exr"
    done = blender_child.run(
        WORDS, stage / "tiles.blend", picture, bpy.context.scene.render.engine, folder=stage
    )
    assert done.returncode == 0, done.stderr
    alone = colors_in(picture)
    picture.unlink()
    for name in TILES:
        assert alone[name] == pytest.approx(seen[name], abs=0.01), name
