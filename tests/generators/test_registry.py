# SPDX-License-Identifier: GPL-3.0-or-later
"""Start terrains: shapes, seeds, refused input."""

from itertools import pairwise

import numpy as np
import pytest

from erosion_addon import InputError
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.generators import noise
from erosion_addon.generators.canvas import Canvas
from erosion_addon.generators.registry import SOURCES, make

NOISES = ("fractal", "ridged", "voronoi", "faults", "bumps", "sand")
SEEDED = (*NOISES, "blocks", "mountains")


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("shape", [(3, 3), (37, 64), (64, 37)])
def test_every_kind_fills_any_rectangle_with_meters(kind, shape):
    terrain = make(kind, *shape, cell_size=10.0, seed=1)
    assert terrain.shape == shape and terrain.spacing == (10.0, 10.0)
    # which may have sand everywhere
    assert terrain.elevation.min() == 0.0 or kind == "pyramid_in_sand"
    assert terrain.relief < 1000.0


@pytest.mark.parametrize("kind", SOURCES)
def test_the_same_seed_makes_the_same_bytes(kind):
    assert (
        make(kind, 20, 30, seed=7).elevation.tobytes()
        == make(kind, 20, 30, seed=7).elevation.tobytes()
    )


@pytest.mark.parametrize("kind", SEEDED)
def test_another_seed_makes_another_terrain(kind):
    assert not np.array_equal(
        make(kind, 20, 30, seed=7).elevation, make(kind, 20, 30, seed=8).elevation
    )


@pytest.mark.parametrize("kind", SEEDED)
def test_relief_is_reached_exactly(kind):
    assert make(kind, 50, 40, values={"relief": 123.0}).relief == pytest.approx(123.0, abs=1e-9)


@pytest.mark.parametrize("kind", NOISES)
@pytest.mark.parametrize("warp", [0.0, 0.6])
def test_noise_tiles_on_request_and_only_then(kind, warp):
    for tileable in (True, False):
        elevation = make(
            kind, 96, 128, seed=2, values={"tileable": tileable, "warp": warp}
        ).elevation
        for axis in (0, 1):
            seam = np.abs(elevation.take(0, axis) - elevation.take(-1, axis)).mean()
            inside = np.abs(np.diff(elevation, axis=axis)).mean()
            assert seam < 2 * inside if tileable else seam > 3 * inside


@pytest.mark.landscape
@pytest.mark.parametrize("kind", SOURCES)
def test_more_cells_show_the_same_land(kind):
    """Every third cell of the finer one lies where a cell of the coarser one lies."""
    coarse = make(kind, 80, 120, 6.0, 4, {"warp": 0.3}).elevation
    fine = make(kind, 238, 358, 2.0, 4, {"warp": 0.3}).elevation[::3, ::3]
    # walls may shift
    alike = 0.9 if kind in ("pyramid", "box", "letters", "pyramid_in_sand", "faults") else 0.98
    assert np.corrcoef(coarse.ravel(), fine.ravel())[0, 1] > alike


def test_the_spectrum_of_fractal_noise_falls_with_its_roughness():
    # Amplitude ~ frequency^(roughness - 2), so power ~ frequency^(2 roughness - 4); averaged over
    # rings.
    for roughness in (0.0, 0.5):
        values = {"roughness": roughness, "tileable": True}
        power = np.abs(np.fft.fft2(make("fractal", 256, 256, seed=3, values=values).elevation)) ** 2
        frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(256), np.fft.fftfreq(256)))
        rings = np.geomspace(4, 100, 12) / 256
        mean = [power[(frequency >= a) & (frequency < b)].mean() for a, b in pairwise(rings)]
        slope = np.polyfit(np.log(np.sqrt(rings[:-1] * rings[1:])), np.log(mean), 1)[0]
        assert slope == pytest.approx(2 * roughness - 4, abs=0.15)


def test_voronoi_ridges_lie_where_two_points_are_equally_far():
    """Without noise the lowest cells of the larger of the two patterns are those between two
    points.
    """
    bare = {"noise": 0.0, "warp": 0.0, "tileable": True, "peaks": 4}
    elevation = make("voronoi", 96, 96, seed=2, values=bare).elevation
    canvas = Canvas(96, 96, (1.0, 1.0), 2, True)
    nearest, second = noise.distances(canvas, 4, 50)
    between = second - nearest < 0.1
    middle = nearest < 0.2
    assert elevation[between].mean() < 0.5 * elevation[middle].mean()


def test_bumps_have_the_size_they_are_told():
    # Half of the power lies within a quarter of 8 waves a side.
    power = (
        np.abs(
            np.fft.fft2(
                make("bumps", 128, 128, seed=3, values={"bumps": 8.0, "tileable": True}).elevation
            )
        )
        ** 2
    )
    waves = np.hypot(*np.meshgrid(np.fft.fftfreq(128, 1 / 128), np.fft.fftfreq(128, 1 / 128)))
    inside = power[(waves > 6) & (waves < 10)].sum()
    assert inside > 0.5 * power[waves > 0].sum()


def test_fractal_forms_keep_their_shape_where_cells_are_not_square():
    # The same 480 m x 640 m of ground, so slopes along x and y are alike although the steps in
    # cells are not.
    elevation = make(
        "fractal", 480, 160, cell_size=(1.0, 4.0), seed=1, values={"roughness": 0.0}
    ).elevation
    along_y, along_x = np.gradient(elevation[::4], 4.0, 4.0)
    assert 0.5 < np.abs(along_y).mean() / np.abs(along_x).mean() < 2


@pytest.mark.parametrize(
    ("direction", "row_fall", "col_fall"), [(0, 0, 1), (90, 1, 0), (180, 0, -1), (270, -1, 0)]
)
def test_a_plane_falls_where_it_is_told_to(direction, row_fall, col_fall):
    elevation = make(
        "plane", 8, 9, cell_size=10.0, values={"slope": 0.3, "direction": direction}
    ).elevation
    # 0.3 m/m x 10 m
    assert np.diff(elevation, axis=0) == pytest.approx(-3.0 * row_fall, abs=1e-9)
    assert np.diff(elevation, axis=1) == pytest.approx(-3.0 * col_fall, abs=1e-9)


def test_a_cone_has_its_height_and_its_foot():
    elevation = make("cone", 41, 61, cell_size=5.0, values={"height": 80.0, "width": 0.5}).elevation
    assert elevation[20, 30] == 80.0
    # The foot's radius is half of the half width, 0.5 x 100 m = 10 cells; a line from the tip falls
    # 8 m a cell.
    assert elevation[20, 30:42] == pytest.approx([80.0 - 8.0 * step for step in range(11)] + [0.0])
    assert np.array_equal(elevation, elevation[::-1, ::-1])


def test_a_pyramid_has_as_many_steps_as_asked_for():
    elevation = make("pyramid", 81, 81, values={"height": 90.0, "steps": 9}).elevation
    assert np.unique(elevation) == pytest.approx(np.arange(0, 91, 10.0))
    assert np.array_equal(elevation, elevation.T)


def test_walls_of_a_box_stand_upright():
    # Half of 40 cells to each side of the middle, 5 m each: the walls are the cells 20 ± 10.
    elevation = make("box", 41, 51, cell_size=5.0, values={"height": 70.0, "width": 0.5}).elevation
    expected = np.zeros((41, 51))
    expected[10:31, 15:36] = 70.0
    assert np.array_equal(elevation, expected)


def test_letters_stand_out_the_right_way_up():
    elevation = make("letters", 141, 141, values={"width": 1.0, "height": 30.0}).elevation
    # 14 pixels on 140 cells: 10 cells each, and 6 pixels of height from 70 - 30 to 70 + 30; the A
    # is pointed on top.
    assert np.unique(elevation).tolist() == [0.0, 30.0]
    assert elevation[95:100, 2:8].max() == 0 and elevation[95:100, 12:28].min() == 30  # ".##."
    assert elevation[42:48, 2:8].min() == 30 and elevation[42:48, 12:28].max() == 0  # "#..#"
    assert not elevation[:39].any() and not elevation[102:].any()


def test_a_picture_stands_as_high_as_it_is_bright(tmp_path):
    gray = np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4)
    OpenImageIOFiles().write(tmp_path / "gray.exr", gray, "float")
    values = {"image": str(tmp_path / "gray.exr"), "width": 1.0, "height": 110.0}
    elevation = make("letters", 401, 401, values=values).elevation
    rows, cols = np.mgrid[100:300:3j, 50:350:4j].astype(int)  # 100 cells a pixel, in the middle
    assert elevation[rows, cols] == pytest.approx(110 * gray, rel=1e-6)


def test_a_pyramid_in_sand_is_rock_with_sand_around_it():
    values = {"height": 90.0, "steps": 9, "sand": 12.0, "waves": 0.0}
    terrain = make("pyramid_in_sand", 81, 81, values=values)
    rock = make("pyramid", 81, 81, values={"height": 90.0, "steps": 9, "width": 0.5}).elevation
    assert terrain.elevation == pytest.approx(np.maximum(rock, 12.0))
    assert terrain["sediment"] == pytest.approx(np.maximum(12.0 - rock, 0.0))
    waves = make("pyramid_in_sand", 81, 81, values={**values, "waves": 4.0})["sediment"]
    assert waves[:5].min() >= 10 and waves[:5].max() <= 14 and np.ptp(waves) > 2


def test_all_of_a_sand_field_is_loose():
    terrain = make("sand", 20, 30)
    assert terrain["sediment"] == pytest.approx(terrain.elevation) and "sediment" not in make(
        "fractal", 8, 8
    )


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("coast", [0.01, 0.5, 1.0])
def test_an_island_meets_the_sea_before_the_border(kind, coast):
    terrain = make(kind, 50, 70, seed=3, values={"island": coast})
    for layer in (terrain.elevation, terrain.fields.get("sediment", terrain.elevation)):
        assert not any(edge.any() for edge in (layer[0], layer[-1], layer[:, 0], layer[:, -1]))
    whole = make(kind, 50, 70, seed=3)
    assert terrain.elevation.max() == pytest.approx(whole.elevation.max())
    assert (terrain.elevation > 0).mean() > 0.05


def test_one_fault_lifts_one_side_of_a_straight_line():
    rows, cols = np.mgrid[0:40, 0:60]
    for seed in range(20):
        values = {"cuts": 1, "relief": 1.0, "softness": 0.0}
        lifted = make("faults", 40, 60, seed=seed, values=values).elevation > 0
        if lifted.any():
            # Both sides of a straight cut are convex: the middle of two cells of a side lies on
            # that side.
            for side in (lifted, ~lifted):
                points = np.stack([rows[side], cols[side]], axis=1)
                first = points[:: max(1, len(points) // 40)]
                second = points[:: max(1, len(points) // 37)]
                middle = first[:, None] + second[None]
                whole = middle[(middle % 2 == 0).all(axis=2)] // 2
                assert side[whole[:, 0], whole[:, 1]].all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("volcano", 8, 8), "no start terrain 'volcano'"),
        (("fractal", 2, 8), "from 3 to 65536"),
        (("fractal", 8, 65537), "from 3 to 65536"),
        (("fractal", 8, 8, float("nan")), "cell size"),
        (("fractal", 8, 8, 0.0), "cell size"),
        (("fractal", 8, 8, 1.0, -1), "seed must be"),
        (("fractal", 8, 8, 1.0, 0, {"height": 1.0}), "not a parameter here"),
        (("fractal", 8, 8, 1.0, 0, {"roughness": 2.0}), "roughness must be from 0 to 1"),
        (("fractal", 8, 8, 1.0, 0, {"relief": float("nan")}), "relief must be"),
        (("pyramid", 8, 8, 1.0, 0, {"steps": 2.5}), "steps must be a whole number"),
        (("plane", 60000, 3, 1e6, 0, {"slope": 100.0}), "beyond"),
        (("letters", 8, 8, 1.0, 0, {"image": 3}), "image must be the name of a file"),
        (("letters", 8, 8, 1.0, 0, {"image": "nowhere.png"}), "nowhere.png does not exist"),
        (("cone", 8, 8, 1.0, 0, {"tileable": True}), "not a parameter here"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(InputError, match=words) as caught:
        make(*arguments)
    assert str(caught.value).endswith(".")


def test_a_corrupt_picture_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")
    with pytest.raises(InputError, match=r"broken\.png.*\.$"):
        make("letters", 8, 8, values={"image": str(tmp_path / "broken.png")})


def test_a_terrain_that_does_not_fit_into_memory_is_refused_with_numbers(monkeypatch):
    monkeypatch.setattr("erosion_addon.base.memory.available_memory", lambda: 10**9)
    with pytest.raises(
        InputError,
        match=r"A terrain of 65536 × 65536 cells needs about 558\.3 GB .* 1\.0 GB is free",
    ):
        make("plane", 65536, 65536)


@pytest.mark.parametrize("strike", [0.0, 35.0, 120.0])
def test_backs_of_tilted_blocks_fall_by_the_dip_to_the_left_of_the_strike_and_fronts_to_the_right(
    strike,
):
    values = {"relief": 300.0, "strike": strike, "dip": 15.0, "roughness": 0.0, "warp": 0.0}
    terrain = make("blocks", 200, 200, 10.0, 2, values)
    along_y, along_x = np.gradient(terrain.elevation, 10.0)
    # how far it falls there
    to_left = -(-np.sin(np.radians(strike)) * along_x + np.cos(np.radians(strike)) * along_y)
    slopes = np.degrees(np.arctan(to_left))
    # crests wander, and rise and fall
    assert np.median(slopes[slopes > 0]) == pytest.approx(15.0, abs=4.0)
    assert (slopes > 0).mean() > 0.6 and np.percentile(slopes, 5) < -45.0 and slopes.max() < 40.0
