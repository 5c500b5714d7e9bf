# SPDX-License-Identifier: GPL-3.0-or-later
"""The user's own recipes: complete, under safe names, in their folder alone."""

import os
from dataclasses import replace

import pytest

from erosion_addon import InputError, Recipe
from erosion_addon.base.data_files import OWN_FOLDER, own, shipped
from erosion_addon.recipe import user_recipes
from erosion_addon.terrain.strata import Strata

PNG = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path / "home" / "recipes"))
    return tmp_path / "home" / "recipes"


def called(name, **changes):
    return replace(Recipe.load("canyon"), name=name, **changes)


def files_below(folder):
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


@pytest.mark.parametrize("name", shipped())
def test_a_saved_recipe_is_loaded_as_it_was(name):
    recipe = replace(Recipe.load(name), name="mine")
    assert user_recipes.save(recipe) == "mine"
    assert Recipe.load("mine") == recipe


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("my hills", "my hills"),
        ("  my   hills ", "my hills"),
        ("hills.toml", "hills"),
        ("../x", "x"),
        ("..\\..\\x", "x"),
        ("/etc/passwd", "etc passwd"),
        ("C:\\Windows\\x", "C Windows x"),
        ("a.b.c", "a b c"),
        ("...x...", "x"),
        ("line\nbreak\0\x7f", "line break"),
        ("Höhe 2 (früh), Fels & Sand", "Höhe 2 (früh), Fels & Sand"),
        ("Ho\u0308he", "Höhe"),  # as macOS writes it
        ("山と川", "山と川"),
        ("पहाड़", "पहाड\u093c"),  # its vowel signs are marks, which stay
        ("🏔 peak", "peak"),
        ("x" * 60, "x" * 60),
    ],
)
def test_a_recipe_is_kept_in_its_folder_under_a_name_that_every_system_takes(
    tmp_path, folder, given, kept
):
    try:
        os.fsencode(kept)
    except UnicodeEncodeError:
        with pytest.raises(InputError, match="not a usable file name"):
            user_recipes.save(called(given))
        pytest.skip("the names of files here are not UTF-8")
    assert user_recipes.save(called(given)) == kept
    assert files_below(tmp_path) == [f"home/recipes/{kept}.toml"]
    assert list(own()) == [kept] and Recipe.load(kept).name == kept


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (".", "needs a letter"),
        ("...", "needs a letter"),
        ("../..", "needs a letter"),
        (".toml", "needs a letter"),
        ("🏔", "needs a letter"),
        ("x" * 61, "at most 60 letters, not 61"),
        ("x" * 300, "at most 60 letters"),
        ("CON", "device"),
        ("con.toml", "device"),
        ("Lpt1", "device"),
        ("COM¹", "device"),  # Windows takes the raised digits for these too
        ("alpine", "of a built-in recipe"),
        ("Dune Sea", "of a built-in recipe"),
        ("alpine.toml", "of a built-in recipe"),
    ],
)
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(tmp_path, given, words):
    with pytest.raises(InputError, match=words):
        user_recipes.save(called(given))
    assert files_below(tmp_path) == []


def test_a_recipe_without_a_name_is_none():
    with pytest.raises(InputError, match="needs a letter"):
        user_recipes.name_for("")


def test_a_recipe_is_replaced_only_where_that_is_asked_for(folder):
    user_recipes.save(called("Mine", description="first"))
    with pytest.raises(InputError, match="You already have a recipe Mine;"):
        user_recipes.save(called("mine", description="second"))
    assert Recipe.load("Mine").description == "first"
    assert user_recipes.save(called("mine", description="second"), overwrite=True) == "Mine"
    assert Recipe.load("Mine").description == "second" and files_below(folder) == ["Mine.toml"]


def test_only_ones_own_recipes_can_be_deleted(folder):
    user_recipes.save(called("mine"))
    (folder / "mine.png").write_bytes(PNG)
    (folder / "notes.txt").write_text("stays")
    with pytest.raises(InputError, match="alpine is built in"):
        user_recipes.delete("alpine")
    for name in ("nowhere", "", "../mine", "notes", "notes.txt", "mine.toml"):
        with pytest.raises(InputError, match=r"You have no recipe"):
            user_recipes.delete(name)
    user_recipes.delete("mine")
    assert files_below(folder) == ["notes.txt"]


def test_a_file_that_is_taken_keeps_its_words_and_its_picture(tmp_path, folder):
    text = '# by hand\nname = "Far hills"\n[[step]]\nkind = "droplet"\n'
    (tmp_path / "far.toml").write_text(text)
    (tmp_path / "far.png").write_bytes(PNG)
    assert user_recipes.take(tmp_path / "far.toml") == "Far hills"
    assert (folder / "Far hills.toml").read_text() == text
    assert (folder / "Far hills.png").read_bytes() == PNG
    assert user_recipes.take(tmp_path / "far.toml") == "Far hills"  # once is enough
    assert user_recipes.take(folder / "Far hills.toml") == "Far hills"
    assert len(own()) == 1


@pytest.mark.parametrize("name", ["alpine", "Mine", "../Mine"])
def test_a_file_that_is_taken_replaces_nothing(tmp_path, folder, name):
    user_recipes.save(called("Mine"))
    before = (folder / "Mine.toml").read_bytes()
    source = tmp_path / "source.toml"
    user_recipes.write(called(name, seed=7), source)
    taken = user_recipes.take(source)
    assert taken == f"{name.removeprefix('../')} 2" and Recipe.load(taken).seed == 7
    assert (folder / "Mine.toml").read_bytes() == before and Recipe.load("alpine").name == "alpine"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'[project]\nname = "x"\n', "project is not a key of a recipe"),
        (
            b'name = "x"\n[[step]]\nkind = "droplet"\ninertia = 2\n',
            "step 1 .droplet.: inertia must be from 0 to 0.99",
        ),
        (b"\0" * 10_000_000, "larger than 1024 KB"),
        (bytes(range(256)) * 12, "."),
    ],
)
def test_what_is_no_recipe_is_not_taken(tmp_path, folder, content, words):
    (tmp_path / "bad.toml").write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        user_recipes.take(tmp_path / "bad.toml")
    assert "bad.toml" in str(caught.value) and not folder.exists()


def test_what_only_claims_to_be_a_picture_stays_behind(tmp_path, folder):
    user_recipes.write(called("Mine"), tmp_path / "a.toml")
    (tmp_path / "a.png").write_bytes(b"#!/bin/sh")
    user_recipes.take(tmp_path / "a.toml")
    assert files_below(folder) == ["Mine.toml"]


def test_a_file_called_like_a_shipped_recipe_does_not_stand_in_for_it(folder):
    folder.mkdir(parents=True)
    user_recipes.write(called("alpine", seed=9), folder / "Alpine.toml")
    assert own() == {} and Recipe.load("alpine").seed == 0


def test_nobody_asks_for_a_folder_that_nobody_named(monkeypatch):
    monkeypatch.delenv(OWN_FOLDER)
    assert own() == {}
    with pytest.raises(InputError, match=OWN_FOLDER):
        user_recipes.save(called("mine"))


def test_a_folder_that_cannot_be_made_is_said(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(OWN_FOLDER, str(tmp_path / "file" / "recipes"))
    assert own() == {}
    with pytest.raises(InputError, match="folder for your recipes cannot be created"):
        user_recipes.save(called("mine"))


def test_one_finds_ones_recipes_by_name_among_the_shipped_ones():
    user_recipes.save(called("mine"))
    with pytest.raises(InputError, match=r"choose one of .*alpine.*, mine"):
        Recipe.load("nowhere")


def test_a_free_name_is_numbered_and_never_too_long():
    for name in ("mine", "x" * 60):
        user_recipes.save(called(name))
    assert user_recipes.free_name("other") == "other"
    assert (
        user_recipes.free_name("Mine") == "Mine 2"
        and user_recipes.free_name("alpine") == "alpine 2"
    )
    user_recipes.save(called("mine 2"))
    assert user_recipes.free_name("Mine") == "Mine 3"
    assert len(user_recipes.free_name("x" * 300)) <= user_recipes.LONGEST_NAME


@pytest.mark.skipif(os.name == "nt", reason="pipes as other systems have them")
def test_a_pipe_that_nobody_writes_to_is_not_waited_for(folder, tmp_path):
    """As a recipe, strata, in the folder of recipes and as a picture; a device neither."""
    folder.mkdir(parents=True)
    user_recipes.write(called("given"), tmp_path / "given.toml")
    for path in (folder / "pipe.toml", tmp_path / "given.png"):
        os.mkfifo(path)
    (tmp_path / "device.toml").symlink_to("/dev/zero")
    for name in ("pipe", str(folder / "pipe.toml"), str(tmp_path / "device.toml")):
        for kind in (Recipe, Strata) if name != "pipe" else (Recipe,):
            with pytest.raises(InputError, match=r"cannot be read: it is a (pipe|device)"):
                kind.load(name)
    assert user_recipes.take(tmp_path / "given.toml") == "given"
    assert "pipe" in own()  # and every look at the list says what it is
