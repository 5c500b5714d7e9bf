# SPDX-License-Identifier: GPL-3.0-or-later
"""Recipe files: any content is either a recipe or refused in a sentence."""

import os
import random

import pytest

from erosion_addon import InputError, Recipe, Step
from erosion_addon.base.data_files import LARGEST_RECIPE, shipped
from erosion_addon.processes.droplet.parameters import DropletParameters
from erosion_addon.processes.registry import PROCESSES
from erosion_addon.recipe.recipe import MOST_STEPS

SHORT = 'name = "short"\n[[step]]\nkind = "droplet"\n'


def refusal(text, source="my.toml"):
    """Sentence that refuses a recipe."""
    with pytest.raises(InputError) as caught:
        Recipe.parse(text, source)
    assert str(caught.value).startswith(source)
    return str(caught.value)


def test_a_recipe_is_read():
    recipe = Recipe.parse(
        'name = "rain"\ndescription = "A day of it."\nseed = 7\nedges = "wrap"\n'
        '[[step]]\nkind = "droplet"\ncapacity = 5\nsprings = []\n'
        '[[step]]\nkind = "droplet"\nenabled = false\nslope = "sine"\n',
        "my.toml",
    )
    assert (recipe.name, recipe.description, recipe.seed, recipe.edges) == (
        "rain",
        "A day of it.",
        7,
        "wrap",
    )
    assert recipe.steps == (
        Step("droplet", DropletParameters(capacity=5.0)),
        Step("droplet", DropletParameters(slope="sine"), enabled=False),
    )


def test_what_is_left_out_has_its_default():
    recipe = Recipe.parse(SHORT, "my.toml")
    assert (recipe.description, recipe.seed, recipe.edges) == ("", 0, "open")
    assert recipe.steps == (Step("droplet", DropletParameters()),)


@pytest.mark.parametrize("name", shipped())
def test_shipped_recipes_are_whole(name):
    recipe = Recipe.load(name)
    assert recipe.name == name and len(recipe.description) > 20
    assert Recipe.load(shipped()[name]) == recipe
    assert Recipe.parse(recipe.to_toml(), "again") == recipe


def test_the_steps_of_shipped_recipes_have_names_of_a_few_words():
    names = [step.name for name in shipped() for step in Recipe.load(name).steps]
    assert all(
        2 <= len(name.split()) <= 8 and name[0].isupper() and not name.endswith(".")
        for name in names
    )
    assert {"Carve gullies", "Lay out valleys"} <= set(names)


def test_a_name_changes_nothing_of_a_step_and_survives_a_file():
    named = Recipe.parse(SHORT + 'name = "Dig"', "x")
    assert named == Recipe.parse(SHORT, "x")
    assert [step.title for step in named.steps] == ["Dig"]
    assert Recipe.parse(named.to_toml(), "again").steps[0].name == "Dig"
    assert Recipe.parse(SHORT, "x").steps[0].title == PROCESSES["droplet"].label


def test_the_recipes_of_the_contract_are_shipped():
    assert {"arcane", "alpine", "canyon", "old hills"} <= set(shipped())
    assert Recipe.load("arcane").steps == (Step("droplet", DropletParameters()),)
    assert len({Recipe.load(name).steps for name in shipped()}) == len(shipped())


@pytest.mark.parametrize(
    "name",
    [
        'say "rain"',
        "it's",
        "back\\slash",
        "new\nline",
        "tab\t",
        "\x00\x01\x1f\x7f\x80",
        "Überflutung 🏔️ 山",
        "  x  ",
        "]\n[[step]]",
        '"""',
        "'''",
        "#",
        "=",
        "\u2028\ufeff",
        "../../etc/passwd",
        "CON",
        "x" * 1000,
    ],
)
def test_any_name_survives_a_file(tmp_path, name):
    recipe = Recipe(name, (Step("droplet", DropletParameters()),), description=name[::-1])
    path = tmp_path / "recipe.toml"
    path.write_bytes(recipe.to_toml().encode())
    assert Recipe.load(path) == recipe
    assert Recipe.from_dict(recipe.to_dict()) == recipe


def test_every_value_survives_a_file():
    parameters = DropletParameters(
        drops_per_cell=1 / 3,
        capacity=1e-6 / 7,
        evaporation=1.0,
        inertia=0.1 + 0.2,
        color_depth=1e-6,
        wetness=12345.5,
        springs=[[0.1, 1 / 3, 1e6], [1.0, 0.0, 1e-300]],
        slope="sine",
        erosion_footprint="bilinear",
    )
    steps = (Step("droplet", parameters), Step("droplet", DropletParameters(), enabled=False))
    recipe = Recipe("x", steps, seed=2**31 - 1, edges="closed")
    assert Recipe.parse(recipe.to_toml(), "x") == recipe


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 'The recipe has no name; give it one, such as name = "High dunes"'),
        ('name = ""\n[[step]]\nkind = "droplet"', "The recipe has no name"),
        ('name = " \\n"\n[[step]]\nkind = "droplet"', "The recipe has no name"),
        (
            "name = 5\n[[step]]\nkind = 'droplet'",
            "name must be text of at most 1000 characters, not 5",
        ),
        (f"name = '{'x' * 1001}'\n[[step]]\nkind = 'droplet'", "name must be"),
        ('name = "x"', "from 1 to 64 steps; this one has 0"),
        ('name = "x"\nstep = []', "from 1 to 64 steps"),
        ('name = "x"\nstep = 3', r"step must be written as \[\[step\]\] tables"),
        ('name = "x"\n[step]\nkind = "droplet"', r"step must be written as \[\[step\]\] tables"),
        ('name = "x"\nstep = [1]', r"step must be written as \[\[step\]\] tables"),
        (SHORT + 'kind = "again"', "not valid TOML"),
        ('name = "x"\n[[step]]', "step 1: kind must be one of droplet, .*, not None"),
        (
            'name = "x"\n[[step]]\nkind = "rainbow"',
            "step 1: kind must be one of droplet, .*, not 'rainbow'",
        ),
        ('name = "x"\n[[step]]\nkind = ["droplet"]', "step 1: kind must be one of droplet"),
        (
            SHORT + "name = 3",
            r"step 1 \(droplet\): name must be one line of at most 60 letters, not 3",
        ),
        (SHORT + f"name = '{'x' * 61}'", "name must be one line of at most 60 letters"),
        (SHORT + 'name = "two\\nlines"', "name must be one line"),
        (SHORT + "enabled = 1", r"step 1 \(droplet\): enabled must be true or false, not 1"),
        (
            SHORT + "capcity = 1",
            r"step 1 \(droplet\): capcity is not a parameter here; choose one of drops_per_cell, ",
        ),
        (SHORT + "capacity = -1", r"step 1 \(droplet\): capacity must be from 0 to 1000, not -1"),
        (SHORT + "capacity = nan", "capacity must be from 0 to 1000, not nan"),
        (SHORT + "capacity = inf", "capacity must be from 0 to 1000, not inf"),
        (SHORT + "capacity = '10'", "capacity must be from 0 to 1000, not '10'"),
        (SHORT + "capacity = true", "capacity must be from 0 to 1000, not True"),
        (SHORT + "capacity = 1979-05-27", "capacity must be from 0 to 1000"),
        (SHORT + "capacity = {a = 1}", "capacity must be from 0 to 1000"),
        (SHORT + "slope = 'steep'", "slope must be one of tangent, sine, not 'steep'"),
        (SHORT + "springs = [[0.5, 0.5]]", r"springs must be a list of \[x, y, rate\]"),
        (SHORT + "springs = [[0.5, 2.0, 1.0]]", "springs: one lies at"),
        ("seed = -1\n" + SHORT, "seed must be a whole number from 0 to 2"),
        ("seed = 1.5\n" + SHORT, "seed must be a whole number"),
        ("seed = 99999999999999999999\n" + SHORT, "seed must be a whole number"),
        (f"seed = {'9' * 5000}\n" + SHORT, "not valid TOML|seed must be"),
        (
            "landscape = 'moon'\n" + SHORT,
            "landscape must be one of mountains, .*, other, not 'moon'",
        ),
        ("edges = 'soft'\n" + SHORT, "edges must be one of open, closed, wrap, not 'soft'"),
        (
            "author = 'me'\n" + SHORT,
            "author is not a key of a recipe; choose one of description, edges, landscape, name",
        ),
        ("name = ", "not valid TOML"),
        ("\x00", "not valid TOML"),
        ("import os", "not valid TOML"),
        ("a = " + "[" * 30000 + "]" * 30000, "nested too deeply|not valid TOML|not a key"),
    ],
)
def test_what_is_no_recipe_is_refused_with_file_key_and_range(text, words):
    sentence = refusal(text)
    assert len(sentence) < 500
    with pytest.raises(InputError, match=words):
        Recipe.parse(text, "my.toml")


@pytest.mark.parametrize("part", ["a", "-", "'a b'", '"a.b"', r'"\""', r'"\\"', " a\t", '"é"'])
@pytest.mark.parametrize(
    "form", ["{} = 1", "[{}]", "[[ {} ]]", "x = {{y = 1, {} = 1}}", "name = 'x' # y\n  {} = 1"]
)
def test_a_key_of_very_many_parts_is_refused_before_it_is_parsed(monkeypatch, part, form):
    """tomllib takes seconds for a key of some thousand parts, and a file has room for twenty of
    them.
    """
    monkeypatch.setattr("tomllib.loads", pytest.fail)
    for parts in (9, 10000):
        assert "more than 8 parts between dots" in refusal(form.format(".".join([part] * parts)))


def test_text_and_numbers_with_many_dots_are_no_long_keys():
    description = "1.2.3.4.5.6.7.8 ... e.g. lists.of.words. And: " + "so on. " * 100
    rose = f"wind_rose = [{', '.join(['[10.5, 0.25]'] * 30)}]"
    text = f"name = 'a.b'\ndescription = '{description}'\n[[step]]\nkind = 'wind'\n{rose}"
    assert len(Recipe.parse(text, "x").steps) == 1


def test_limits_of_a_step_are_written_and_read_again_and_stay_out_where_none_are_set():
    limited = '[[step]]\nkind = "talus"\nlimits = { highest = 812.5, max_erosion = 2.0 }\n'
    recipe = Recipe.parse('name = "x"\n' + limited + '[[step]]\nkind = "talus"\n', "x")
    first, second = recipe.to_dict()["step"]
    assert (
        first["limits"]["highest"] == 812.5
        and first["limits"]["max_erosion"] == 2.0
        and "limits" not in second
    )
    assert Recipe.parse(recipe.to_toml(), "again") == recipe


def test_more_steps_than_there_may_be_are_refused():
    step = '[[step]]\nkind = "droplet"\n'
    assert len(Recipe.parse('name = "x"\n' + step * MOST_STEPS, "x").steps) == MOST_STEPS
    assert "from 1 to 64 steps; this one has 65" in refusal(
        'name = "x"\n' + step * (MOST_STEPS + 1)
    )


def test_the_number_of_the_bad_step_is_named():
    step = '[[step]]\nkind = "droplet"\n'
    assert "my.toml: step 3 (droplet): inertia must be from 0 to 0.99" in refusal(
        'name = "x"\n' + step * 3 + "inertia = 1.0"
    )


def test_damaged_recipes_are_recipes_or_refused():
    """Bytes of whole recipes cut out, doubled and changed: anything but InputError fails the
    test.
    """
    seed = int(os.environ.get("TEST_SEED") or 1)
    print(f"TEST_SEED={seed}")
    chance = random.Random(seed)
    whole = [Recipe.load(name).to_toml() for name in shipped()]
    words = [
        "nan",
        "-inf",
        "1e999",
        "0x",
        '"',
        "'''",
        "[[",
        "]]",
        "=",
        "\n",
        ".",
        "{",
        "\\u0000",
        "\x7f",
        "9" * 40,
    ]
    for _ in range(1500):
        text = chance.choice(whole)[: chance.randrange(1, 900)]
        for _ in range(chance.randrange(1, 6)):
            start = chance.randrange(len(text) + 1)
            end = start + chance.choice((0, 0, 1, 5, 40))
            text = (
                text[:start] + chance.choice((*words, chr(chance.randrange(0xD800)))) + text[end:]
            )
        try:
            Recipe.parse(text, "damaged.toml")
        except InputError as error:
            assert str(error).startswith("damaged.toml")


# Files


def load_refusal(path):
    with pytest.raises(InputError) as caught:
        Recipe.load(path)
    return str(caught.value)


def test_an_unknown_name_is_refused_with_those_there_are():
    for name in ("nowhere", "", "../presets/arcane", "/etc/passwd", "arcane.tml", "ARCANE"):
        sentence = load_refusal(name)
        assert (
            sentence.startswith(f"There is no recipe {name!r}; choose one of ")
            and "arcane" in sentence
        )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(range(256)), "not UTF-8 text"),
        (b"name = '\xff'", "not UTF-8 text"),
        ('name = "x"'.encode("utf-16"), "not UTF-8 text"),
        (b"#" * (LARGEST_RECIPE + 1), "larger than 1024 KB"),
        (b"\0" * 10_000_000, "larger than 1024 KB"),
        (b"", "has no name"),
        (bytes(range(256)) * 20, "UTF-8"),
    ],
)
def test_what_is_no_recipe_file_is_refused(tmp_path, content, words):
    path = tmp_path / "no recipe é.toml"
    path.write_bytes(content)
    sentence = load_refusal(path)
    assert words in sentence and str(path) in sentence


def test_the_largest_file_is_read(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes((SHORT + "#").encode().ljust(LARGEST_RECIPE, b"x"))
    assert Recipe.load(str(path)).name == "short"


def test_a_byte_order_mark_and_windows_lines_do_no_harm(tmp_path):
    path = tmp_path / "windows.TOML"
    path.write_bytes(b"\xef\xbb\xbf" + SHORT.replace("\n", "\r\n").encode())
    assert Recipe.load(str(path)) == Recipe.parse(SHORT, "x")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    for path in (
        "missing.toml",
        "folder.toml",
        "missing/below.toml",
        "nul\0.toml",
        "x" * 5000 + ".toml",
    ):
        assert "cannot be read" in load_refusal(tmp_path / path)
        assert "cannot be read" in load_refusal(str(tmp_path / path))


# Values from elsewhere


def test_values_are_set_by_kind_or_number():
    recipe = Recipe("x", (Step("droplet", DropletParameters()),) * 2)
    changed = recipe.with_values({"droplet.capacity": 5, "2.inertia": 0.5})
    assert [step.parameters.capacity for step in changed.steps] == [5.0, 5.0]
    assert [step.parameters.inertia for step in changed.steps] == [0.1, 0.5]
    assert recipe.steps[0].parameters.capacity == 10.0


@pytest.mark.parametrize(
    "target", ["capacity", "wind.capacity", "3.capacity", "0.capacity", "droplet.", ".", ""]
)
def test_values_for_no_step_are_refused(target):
    with pytest.raises(
        InputError, match=r"is not a parameter of a step.*; the steps are 1\.droplet"
    ):
        Recipe.parse(SHORT, "x").with_values({target: 1})


def test_values_out_of_range_are_refused_from_everywhere():
    recipe = Recipe.parse(SHORT, "x")
    with pytest.raises(InputError, match="capacity must be from 0 to 1000"):
        recipe.with_values({"droplet.capacity": 1001})
    with pytest.raises(InputError, match="seed must be"):
        Recipe("x", recipe.steps, seed=-1)
    with pytest.raises(InputError, match="edges must be"):
        Recipe("x", recipe.steps, edges="hard")
    with pytest.raises(InputError, match="from 1 to 64 steps"):
        Recipe("x", ())


def test_a_palette_that_makes_no_sense_is_refused_where_the_recipe_is_made():
    with pytest.raises(InputError, match="palette"):
        Recipe("own", (Step("droplet", DropletParameters()),), palette=7)


def test_masks_of_parameters_that_none_can_scale_are_refused_by_name():
    sentence = refusal(SHORT + "masks = { seed = 'area_a' }\n")
    assert "masks: no mask can scale seed here, only " in sentence
    sentence = refusal(SHORT + "masks = { erosion_rate = 'nothing' }\n")
    assert "masks: " in sentence and "erosion_rate" in sentence


def test_limits_that_are_no_table_are_refused():
    assert "limits must be a table [step.limits], not 7." in refusal(SHORT + "limits = 7\n")


def test_a_recipe_made_in_a_script_has_seed_0():
    assert Recipe("mine", Recipe.load("arcane").steps).seed == 0
