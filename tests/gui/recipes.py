# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes in a real window: saved with a picture of the viewport, dropped into it."""

import time
from pathlib import Path

RECIPE = "bpy.data.objects['Terrain'].erosion.recipe_name"
STEPS = "[step.kind for step in bpy.data.objects['Terrain'].erosion.steps]"
IN_VIEWPORT = (
    "with bpy.context.temp_override(window=window(), area=viewport(), region=region('WINDOW')): "
)
OWN = "import os; sorted(os.listdir(os.environ['TERRAIN_EROSION_RECIPES']))"
IMAGES = "[image.name for image in bpy.data.images]"
SPREAD = """
image = bpy.data.images.load(os.environ['TERRAIN_EROSION_RECIPES'] + '/Gorge.png')
pixels = np.array(image.pixels[:]).reshape(*image.size[::-1], 4)
found = [list(image.size), float(pixels[..., :3].std())]
bpy.data.images.remove(image)
found
"""


def a_recipe_is_saved_with_a_picture_of_the_viewport(window):
    window.ask("new_terrain(64, 96, 1.0)")
    window.open_tab("Erosion")
    images = window.ask(IMAGES)
    window.ask(IN_VIEWPORT + "bpy.ops.erosion.recipe_save(name='Gorge', landscape='desert')")
    assert window.ask(OWN) == ["Gorge.png", "Gorge.toml"]
    size, spread = window.ask(SPREAD)
    assert size == [256, 256] and spread > 0.02, (
        f"a picture of {size} pixels that vary by {spread:.3f}"
    )
    assert window.ask("viewport().spaces.active.overlay.show_overlays"), (
        "the overlays stayed hidden"
    )
    assert window.ask(IMAGES) == images
    window.press("erosion.recipe_choose")
    time.sleep(2.0)
    window.picture("my_recipes")
    window.key("ESC")


def a_recipe_file_is_dropped_into_the_viewport(window):
    folder = Path(window.folder.name)
    (folder / "far.toml").write_text('name = "Far"\nedges = "wrap"\n[[step]]\nkind = "talus"\n')
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\n')
    drop = (
        f"bpy.ops.wm.drop_import_file('INVOKE_DEFAULT', directory={str(folder)!r}, "
        "files=[{'name': '%s'}])"
    )
    window.over_viewport()
    window.ask(IN_VIEWPORT + drop % "far.toml")
    time.sleep(0.5)
    window.picture("dropped")
    window.key("RET")
    window.wait("the recipe", f"{RECIPE} == 'Far'")
    assert window.ask(STEPS) == ["talus"] and "Far.toml" in window.ask(OWN)
    window.ask(IN_VIEWPORT + drop % "pyproject.toml")
    time.sleep(0.5)
    window.picture("refused")
    assert window.ask(RECIPE) == "Far" and "pyproject.toml" not in window.ask(OWN)


SCENES = (
    a_recipe_is_saved_with_a_picture_of_the_viewport,
    a_recipe_file_is_dropped_into_the_viewport,
)
