# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipes in Blender: loaded, changed, saved, replaced, deleted, exchanged; unsaved ones are
kept.
"""

import os
from dataclasses import replace
from pathlib import Path

import bpy
import pytest

from erosion_addon import Recipe
from erosion_addon.base.data_files import OWN_FOLDER, named, own, shipped
from erosion_addon.recipe import user_recipes
from erosion_addon.scene.terrain import checks
from erosion_addon.scene.terrain.mesh import make_grid_object
from erosion_addon.terrain.strata import Strata
from erosion_addon.ui import properties
from erosion_addon.ui.recipe import own_recipes as saving
from erosion_addon.ui.recipe import previews, recipes, steps
from erosion_addon.ui.recipe.loaded_recipe import palette_of
from erosion_addon.ui.terrain.advice import REMEDIES
from tests.terrains import fractal
from tests.ui.conftest import activate
from tests.ui.recipe.test_steps import Drawn


def recipe_in(obj):
    return steps.recipe_of(obj.erosion, [])


# Saved and loaded


@pytest.mark.parametrize("name", shipped())
def test_a_recipe_saved_from_the_panel_is_the_one_that_was_loaded(terrain_object, name):
    bpy.ops.erosion.recipe_load(name=name)
    loaded = Recipe.load(name)
    bpy.ops.erosion.recipe_save(
        name="mine", description=loaded.description, landscape=loaded.landscape
    )
    assert Recipe.load("mine") == replace(loaded, name="mine")
    assert terrain_object.erosion.recipe_name == "mine"
    assert recipe_in(terrain_object) == replace(
        loaded, name="mine", seed=terrain_object.erosion.seed
    )


def test_what_was_typed_is_saved_as_it_was_typed(terrain_object):
    settings = terrain_object.erosion
    settings.edges = "wrap"
    settings.seed = 12
    settings.steps[0].droplet.capacity = 0.1  # which Blender keeps as 0.10000000149
    settings.steps[0].enabled = False
    bpy.ops.erosion.recipe_save(name="typed")
    (step,) = Recipe.load("typed").steps
    assert step.parameters.capacity == 0.1 and not step.enabled
    assert (Recipe.load("typed").edges, Recipe.load("typed").seed) == ("wrap", 0)
    bpy.ops.erosion.recipe_save(name="typed", keep_seed=True, overwrite=True)
    assert Recipe.load("typed").seed == 12


def test_the_palette_the_strata_and_the_springs_that_were_chosen_are_saved(terrain_object):
    bpy.ops.erosion.recipe_load(name="oasis")
    bpy.ops.erosion.material_add(palette="volcanic")
    color = terrain_object.erosion.surface_color
    color.source = "STRATA"
    color.strata = "limestone"
    spring = bpy.data.objects.new("Spring", None)
    terrain_object.erosion.springs = bpy.data.collections.new("Springs")
    terrain_object.erosion.springs.objects.link(spring)
    spring.location = terrain_object.location
    bpy.context.view_layer.update()
    bpy.ops.erosion.recipe_save(name="mine")
    recipe = Recipe.load("mine")
    assert recipe.palette == "volcanic" and recipe.strata == Strata.load("limestone")
    (row,) = next(step.parameters.springs for step in recipe.steps if step.kind == "water")
    assert row[2] == 1.0 and all(0 <= place <= 1 for place in row[:2])


def test_a_recipe_of_ones_own_is_replaced_only_when_asked(terrain_object):
    bpy.ops.erosion.recipe_save(name="mine")
    terrain_object.erosion.steps[0].droplet.capacity = 3.0
    with pytest.raises(RuntimeError, match="You already have a recipe mine;"):
        bpy.ops.erosion.recipe_save(name="mine")
    assert Recipe.load("mine").steps[0].parameters.capacity == 10.0  # the default, which arcane has
    bpy.ops.erosion.recipe_save(name="mine", overwrite=True)
    assert Recipe.load("mine").steps[0].parameters.capacity == 3.0


@pytest.mark.parametrize("name", ["alpine", "CON", "", "../..", "x" * 300])
def test_a_name_that_cannot_be_is_said_and_nothing_changes(terrain_object, own_recipes, name):
    with pytest.raises(RuntimeError, match="name"):
        bpy.ops.erosion.recipe_save(name=name)
    assert not own_recipes.exists() and terrain_object.erosion.recipe_name == "arcane"


def test_a_recipe_is_deleted_and_its_terrain_keeps_everything(terrain_object):
    bpy.ops.erosion.recipe_load(name="canyon")
    bpy.ops.erosion.recipe_save(name="mine")
    before = recipe_in(terrain_object)
    bpy.ops.erosion.recipe_delete(name="mine")
    assert own() == {} and recipe_in(terrain_object) == before
    assert recipes.shown_name(terrain_object.erosion) == "Mine (not on this computer)"
    for name, words in (
        ("mine", "You have no recipe .mine."),
        ("alpine", "alpine is built in"),
        ("", "no recipe"),
    ):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.erosion.recipe_delete(name=name)


def test_without_a_terrain_there_is_nothing_to_save_or_load():
    for operator in (
        "recipe_load",
        "recipe_save",
        "recipe_export",
        "recipe_reset",
        "recipe_choose",
    ):
        assert not getattr(bpy.ops.erosion, operator).poll()


# Files


def test_settings_are_written_to_a_file_that_gives_the_same_recipe(terrain_object, tmp_path):
    bpy.ops.erosion.recipe_load(name="dune sea")
    path = tmp_path / "Far dunes.toml"
    bpy.ops.erosion.recipe_export(filepath=str(path))
    assert Recipe.load(path) == replace(
        Recipe.load("dune sea"), name="Far dunes", seed=terrain_object.erosion.seed
    )
    assert own() == {}


def test_a_file_is_taken_for_the_terrain_and_kept(terrain_object, tmp_path):
    user_recipes.write(replace(Recipe.load("canyon"), name="Gorge"), tmp_path / "g.toml")
    bpy.ops.erosion.recipe_import(filepath=str(tmp_path / "g.toml"))
    assert list(own()) == ["Gorge"] and terrain_object.erosion.recipe_name == "Gorge"
    assert recipe_in(terrain_object).steps == Recipe.load("canyon").steps


def test_a_file_that_is_not_called_like_a_recipe_leaves_no_terrain_without_steps(
    terrain_object, tmp_path
):
    """Its path would be taken for the name of a recipe, which there is not."""
    path = tmp_path / "gorge.txt"
    path.write_text(replace(Recipe.load("canyon"), name="Gorge").to_toml())
    steps = len(terrain_object.erosion.steps)
    for operator, options in (
        (bpy.ops.erosion.recipe_load, {}),
        (bpy.ops.erosion.recipe_import, {"keep": False}),
    ):
        with pytest.raises(RuntimeError, match=r"gorge\.txt.*ends in \.toml"):
            operator(filepath=str(path), **options)
    assert (
        terrain_object.erosion.recipe_name == "arcane"
        and len(terrain_object.erosion.steps) == steps > 0
    )
    bpy.ops.erosion.recipe_import(filepath=str(path))  # a copy has the name of the recipe
    assert terrain_object.erosion.recipe_name == "Gorge" and len(terrain_object.erosion.steps) > 0


def test_a_file_is_kept_only_or_taken_only(terrain_object, tmp_path):
    path = tmp_path / "g.toml"
    user_recipes.write(replace(Recipe.load("canyon"), name="Gorge"), path)
    bpy.ops.erosion.recipe_import(filepath=str(path), keep=False)
    assert own() == {} and terrain_object.erosion.recipe_name == str(path)
    bpy.ops.erosion.recipe_load(name="arcane")
    bpy.ops.erosion.recipe_import(filepath=str(path), use=False)
    assert list(own()) == ["Gorge"] and terrain_object.erosion.recipe_name == "arcane"


def test_a_recipe_can_be_brought_in_where_there_is_no_terrain(tmp_path):
    user_recipes.write(replace(Recipe.load("canyon"), name="Gorge"), tmp_path / "g.toml")
    bpy.ops.erosion.recipe_import(filepath=str(tmp_path / "g.toml"))
    assert list(own()) == ["Gorge"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[build-system]\nrequires = ["setuptools"]\n', "build-system is not a key of a recipe"),
        (
            b'name = "x"\n[[step]]\nkind = "droplet"\ninertia = 5\n',
            "inertia must be from 0 to 0.99",
        ),
        (b"\x89PNG", "UTF-8"),
        (b"\0" * 10_000_000, "larger than 1024 KB"),
    ],
)
def test_a_file_that_is_no_recipe_is_refused_with_its_name_and_changes_nothing(
    terrain_object, own_recipes, tmp_path, content, words
):
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    for operator in (bpy.ops.erosion.recipe_import, bpy.ops.erosion.recipe_load):
        with pytest.raises(RuntimeError, match=f"pyproject.toml.*{words}"):
            operator(filepath=str(path))
    assert not own_recipes.exists() and terrain_object.erosion.recipe_name == "arcane"


def test_recipe_files_can_be_dropped_into_the_viewport():
    handler = bpy.types.EROSION_FH_recipe
    assert (
        handler.bl_file_extensions == ".toml"
        and handler.bl_import_operator == "erosion.recipe_import"
    )


# Changed, missing, reset


def test_a_change_of_the_steps_is_shown_and_taken_back(terrain_object):
    settings = terrain_object.erosion
    bpy.ops.erosion.recipe_load(name="alpine")
    assert recipes.shown_name(settings) == "Alpine"
    settings.seed += 1
    assert not recipes.is_changed(settings)
    settings.steps[1].droplet.capacity += 1.0
    assert recipes.shown_name(settings) == "Alpine (changed)"
    bpy.ops.erosion.recipe_reset()
    assert recipes.shown_name(settings) == "Alpine"
    assert recipe_in(terrain_object) == replace(Recipe.load("alpine"), seed=settings.seed)
    settings.edges = "closed"
    assert recipes.is_changed(settings)


def test_a_file_of_another_artist_keeps_the_recipe_that_is_not_on_this_computer(
    terrain_object, tmp_path
):
    settings = terrain_object.erosion
    recipe = replace(
        Recipe.load("badlands"),
        name="Theirs",
        strata=Strata.load("painted clay"),
        landscape="desert",
    )
    user_recipes.save(recipe)
    bpy.ops.erosion.recipe_load(name="Theirs")
    settings.steps[0].enabled = False
    theirs = recipe_in(terrain_object)
    path = tmp_path / "scene.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    user_recipes.delete("Theirs")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    obj = bpy.data.objects["Terrain"]
    activate(obj)
    assert (
        recipe_in(obj) == theirs and theirs.strata == recipe.strata and theirs.palette == "badlands"
    )
    assert recipes.shown_name(obj.erosion) == "Theirs (not on this computer)"
    assert bpy.ops.erosion.run.poll()
    bpy.ops.erosion.recipe_reset()
    assert recipe_in(obj) == replace(recipe, seed=obj.erosion.seed)
    bpy.ops.erosion.recipe_save(name="Theirs", landscape="desert", description=recipe.description)
    assert Recipe.load("Theirs") == recipe


def test_steps_of_a_file_from_before_recipes_were_kept_still_run(terrain_object, monkeypatch):
    settings = terrain_object.erosion
    settings.steps[0].droplet.drops_per_cell = 0.25
    # as a file brings it: nothing is filled anew
    monkeypatch.setattr(properties, "reload", lambda settings: None)
    settings.recipe_name = "gone"
    settings.recipe_loaded = ""
    assert (
        recipe_in(terrain_object).name == "gone"
        and recipe_in(terrain_object).palette == "temperate"
    )
    assert recipes.shown_name(settings) == "Gone (not on this computer)"
    assert bpy.ops.erosion.run() == {"FINISHED"}


@pytest.mark.parametrize(
    "kept", ["", "{", "[]", "7", '{"name": "arcane", "recipe": {"name": 3}}', '{"name": "x"}']
)
def test_what_is_kept_of_the_recipe_may_be_damaged(terrain_object, kept):
    terrain_object.erosion.recipe_loaded = kept
    assert recipe_in(terrain_object) == replace(
        Recipe.load("arcane"), seed=terrain_object.erosion.seed
    )
    assert not recipes.is_changed(terrain_object.erosion)


@pytest.mark.parametrize(
    "name", ["", ".toml", "nowhere", "x" * 5000, "x" * 5000 + ".toml", "/", "\\", "../alpine"]
)
def test_the_panel_can_show_any_name(terrain_object, name):
    settings = terrain_object.erosion
    settings.recipe_name = name
    assert recipes.shown_name(settings).endswith(
        "(not on this computer)" if name else "Choose a Recipe"
    )
    path = named(name)
    assert path is None or previews.icon_of(path) == previews.blank()


FOREIGN = [
    r"//server/x.toml",
    r"\\server\share\x.toml",
    r"/\server/x.toml",
    r"Z:\x.toml",
    "/net/x.toml",
    "x.TOML",
]


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("has_steps", [True, False])
def test_no_panel_and_no_timer_looks_where_the_file_of_another_artist_points(
    terrain_object, monkeypatch, name, has_steps
):
    settings = terrain_object.erosion
    before = recipe_in(terrain_object).steps
    settings["recipe_name"] = name  # as a file brings it: nobody has chosen it here
    settings.recipe_loaded = ""
    assert settings.recipe_name == name
    if not has_steps:
        settings.steps.clear()
    looked = []
    for function in ("open", "stat", "exists", "is_file"):
        monkeypatch.setattr(
            Path, function, lambda path, *_, **__: looked.append(path) or path.joinpath("x")
        )
    recipes.draw_choice(Drawn(), settings)
    found = steps.recipe_or_none(settings)
    assert palette_of(terrain_object) == "temperate" and recipes.shown_name(
        settings
    ) == previews.title(name)
    monkeypatch.undo()
    assert [path for path in looked if "server" in str(path) or path.name.lower() == "x.toml"] == []
    assert (found.steps if found else ()) == (before if has_steps else ())
    if not has_steps:
        with pytest.raises(RuntimeError, match="chosen in another session"):
            bpy.ops.erosion.run("EXEC_DEFAULT")


def test_a_path_that_the_user_chooses_is_read(terrain_object, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(Recipe.load("canyon").to_toml(), encoding="utf-8")
    bpy.ops.erosion.recipe_load(filepath=str(path))
    assert recipe_in(terrain_object).steps == Recipe.load("canyon").steps
    assert recipes.shown_name(terrain_object.erosion) == "Mine"
    path.unlink()
    assert recipes.shown_name(terrain_object.erosion) == "Mine (not on this computer)"


# Where they lie


def test_the_folder_is_named_once_and_given_back(monkeypatch, tmp_path):
    monkeypatch.delenv(OWN_FOLDER)
    recipes.offer()
    assert os.environ[OWN_FOLDER].endswith("recipes")
    recipes.withdraw()
    assert OWN_FOLDER not in os.environ
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path))
    recipes.offer()
    recipes.withdraw()
    assert os.environ[OWN_FOLDER] == str(tmp_path)  # the user's own word stays


def test_what_is_saved_here_is_found_by_the_command_line(terrain_object, capsys):
    from erosion_addon.cli import commands as cli

    bpy.ops.erosion.recipe_save(name="mine", description="Hills of my own.")
    capsys.readouterr()
    assert cli.main(["recipes", "mine"]) == 0
    assert Recipe.parse(capsys.readouterr().out, "printed") == Recipe.load("mine")
    assert cli.main(["recipes"]) == 0
    assert "Hills of my own." in capsys.readouterr().out
    assert saving.recipe_of_terrain(terrain_object).name == "mine"


@pytest.fixture
def cut_land():
    """Land cut from larger land, whose opposite edges differ."""
    heights = fractal(96, 128, relief=200.0)[:48, :64]
    obj = make_grid_object("Cut", heights, (10.0, 10.0), bpy.context.scene.collection)
    activate(obj)
    return obj


def test_a_recipe_that_wraps_comes_with_open_edges_to_land_that_does_not_tile(cut_land):
    """The panel shows them and says why; a choice of the user counts, with a note and a button."""
    settings = cut_land.erosion
    bpy.ops.erosion.recipe_load(name="yardangs")
    assert (
        settings.edges == "open"
        and steps.opens_edges(settings)
        and not recipes.is_changed(settings)
    )
    settings.edges = "wrap"
    assert not steps.opens_edges(settings) and recipes.is_changed(settings)
    (note,) = [
        note for note in checks.notes(cut_land, recipe_in(cut_land)) if note.remedy == "open_edges"
    ]
    assert "do not meet" in note.sentence
    operator, _, given = REMEDIES[note.remedy]
    assert operator == "wm.context_set_enum"
    bpy.ops.wm.context_set_enum(**given)
    assert settings.edges == "open"
    bpy.ops.erosion.recipe_load(name="canyon")
    assert settings.edges == "open" and not steps.opens_edges(settings)
