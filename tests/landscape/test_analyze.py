# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis of a landscape against that of the same land in one piece."""

import json
import shutil

import numpy as np
import pytest

from erosion_addon.base.errors import InputError
from erosion_addon.base.kernels import jit
from erosion_addon.drainage.analysis import analyze as analyze_whole
from erosion_addon.drainage.parameters import AnalysisParameters
from erosion_addon.landscape import make as makers
from erosion_addon.landscape.analyze import FOLDER, LAYERS, Question, analyze, lines
from erosion_addon.landscape.cluster import cluster
from erosion_addon.landscape.erode import Alone, erode
from erosion_addon.landscape.journal import JOURNAL, users_secret
from erosion_addon.landscape.storage.folder import Landscape
from erosion_addon.landscape.storage.manifest import NAME, Manifest
from erosion_addon.terrain.terrain import Terrain
from tests.cli.commandline import run
from tests.landscape.conftest import Ending, EndsError, fractal
from tests.terrains import windows_of


@pytest.fixture(scope="module")
def analyzed(tmp_path_factory):
    """The fractal landscape, analyzed; to be copied, not changed."""
    return analyze(fractal(tmp_path_factory.mktemp("analyzed") / "land").folder, Alone())


@pytest.mark.slow
@pytest.mark.parametrize("question", [Question(), Question("closed"), Question(sea_level=400.0)])
def test_layers_and_figures_are_those_of_the_land_in_one_piece(landscape, question):
    done = analyze(landscape.folder, Alone(), question)
    terrain = Terrain(landscape.read("start/elevation", landscape.whole), 20.0)
    sea = {} if question.sea_level is None else {"sea": True, "sea_level": question.sea_level}
    whole = analyze_whole(terrain, AnalysisParameters.from_dict(sea), question.edges)
    for name in LAYERS:
        np.testing.assert_array_equal(done.read(name, done.whole), whole.fields[name], err_msg=name)
    land = terrain.elevation > (question.sea_level or -1)
    figures = done.manifest.analysis
    assert figures["pits"] == whole.figures["pits"]
    assert figures["highest"] - figures["lowest"] == whole.figures["relief"]
    assert figures["hypsometric_integral"] == pytest.approx(
        whole.figures["hypsometric_integral"], rel=1e-9
    )
    assert figures["lake_volume"] == pytest.approx(
        whole.fields["lake_depth"][land].sum(dtype=float) * 400, rel=1e-4
    )
    assert figures["largest_drainage_area"] == whole.fields["drainage_area"].max()
    degrees = np.degrees(np.arctan(whole.fields["slope"][land]))
    for share in (50, 90, 99):
        assert abs(figures[f"slope_p{share}"] - np.percentile(degrees, share)) <= 0.1
    assert figures["flat"] == pytest.approx((degrees < 3.0).mean(), abs=1e-3)
    told = dict(lines(figures))
    assert told["Largest drainage area"] == f"{whole.fields['drainage_area'].max() / 1e6:.4g} km²"
    assert told["Land"] == f"{land.sum() * 400 / 1e6:.4g} km²"
    assert not (landscape.folder / FOLDER).exists()


def test_water_leaves_at_the_outlets_of_the_mask_as_on_the_land_in_one_piece(tmp_path):
    mask = np.zeros((160, 240))
    mask[79:81, 160] = 1.0
    mask[30, 30] = 0.4
    start = makers.generated("fractal", mask.shape, 20.0, 3, {"relief": 900.0}, None)
    manifest = Manifest(*mask.shape, 80, (20.0, 20.0), "fractal")
    windows = {"outlet": lambda window: windows_of(mask)(window)["elevation"]}
    done = analyze(
        makers.make(tmp_path / "land", manifest, start, masks=windows).folder,
        Alone(),
        Question("closed"),
    )
    terrain = Terrain(done.read("start/elevation", done.whole), 20.0)
    whole = analyze_whole(terrain, edges="closed", outlets=mask)
    for name in LAYERS:
        np.testing.assert_array_equal(done.read(name, done.whole), whole.fields[name], err_msg=name)
    tile = next(done.folder.rglob("*outlet/x1_y0.npy"))
    tile.write_bytes(tile.read_bytes()[:-1] + b"?")
    with pytest.raises(InputError, match=r"x1_y0\.npy is damaged"):
        analyze(done.folder, Alone())


@pytest.mark.worker
@pytest.mark.slow
def test_a_cluster_leaves_the_same_bytes_as_one_process(landscape, tmp_path):
    pytest.importorskip("cryptography")
    here = analyze(landscape.folder, Alone())
    other = fractal(tmp_path / "other")
    with cluster(workers=2) as workers:
        assert analyze(other.folder, workers).manifest.layers == here.manifest.layers


def test_a_secret_that_a_drive_fails_to_read_costs_no_task(landscape, tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    assert len(users_secret()) == 32 and users_secret() == users_secret()
    (landscape.folder / FOLDER / "basins_x0_y0").mkdir(parents=True)
    before = sorted(landscape.folder.rglob("*"))

    def fails(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(type(tmp_path), "read_bytes", fails)
    with pytest.raises(
        InputError,
        match=r"secret cannot be read: Input/output error\. An analysis under way needs it",
    ):
        analyze(landscape.folder, Alone())
    assert sorted(landscape.folder.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm", ["none", "damaged", "layer", "cut off", "of another land", "of somebody else"]
)
def test_an_analysis_that_was_ended_goes_on_with_what_can_be_believed(
    landscape, monkeypatch, analyzed, harm
):
    secret = "erosion_addon.landscape.analyze.users_secret"
    # a user without a folder for it has none that lasts
    monkeypatch.setattr(secret, lambda: b"mine")
    with pytest.raises(EndsError):
        analyze(landscape.folder, Ending(17))
    journal = landscape.folder / FOLDER / JOURNAL
    match harm:
        case "damaged":  # the last of 6 tiles' basins, which all that comes after needs
            (landscape.folder / FOLDER / "basins_x2_y1" / "nodes.npy").write_bytes(b"")
        case "layer":  # of one of three tiles measured
            (landscape.folder / "slope" / "x0_y0.npy").unlink()
        case "cut off":
            journal.write_bytes(journal.read_bytes()[:-40])
        case "of another land":
            journal.write_text(
                json.dumps({"key": "0" * 64}) + journal.read_text().partition("\n")[2]
            )
        case "of somebody else":
            monkeypatch.setattr(secret, lambda: b"another")
    (landscape.folder / FOLDER / "basins_x0_y0" / ".erosion-0123456789abcdef.npy").write_bytes(
        b"of a killed process"
    )
    assert not Landscape(landscape.folder).faults()
    told = []
    again = analyze(
        landscape.folder, Alone(), on_progress=lambda fraction, message: told.append(fraction)
    )
    assert again.manifest == analyzed.manifest and not again.faults() and told[-1] == 1.0
    left = {"none": 27 - 17, "damaged": 27 - 5, "layer": 27 - 16, "cut off": 27 - 16}
    assert len(told) == left.get(harm, 27)
    assert not (landscape.folder / FOLDER).exists()


@pytest.mark.slow
def test_an_analysis_lasts_until_the_land_changes(landscape, recipe):
    before = analyze(landscape.folder, Alone())
    analyze(landscape.folder, None)  # there is nothing to do
    (landscape.folder / "slope" / "x1_y0.npy").unlink()
    again = analyze(landscape.folder, Alone())
    assert again.manifest == before.manifest and not again.faults()
    eroded = erode(landscape.folder, recipe, Alone(), coarse=240)
    assert not eroded.manifest.analysis and not eroded.has("slope")
    after = analyze(landscape.folder, Alone())
    assert after.manifest.layers["slope"] != before.manifest.layers["slope"]
    erode(landscape.folder, recipe, None, coarse=240)  # further layers are no reason to erode again


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["figure missing", "figure in words", "layer missing"])
def test_a_manifest_that_somebody_has_changed_is_analyzed_anew(analyzed, tmp_path, harm):
    folder = tmp_path / "land"
    shutil.copytree(analyzed.folder, folder)
    path = folder / NAME
    table = json.loads(path.read_text())
    match harm:
        case "figure missing":
            del table["analysis"]["pits"]
        case "figure in words":
            table["analysis"]["highest"] = "very"
        case "layer missing":
            del table["layers"]["slope"]
    path.write_text(json.dumps(table))
    assert analyze(folder, Alone()).manifest == analyzed.manifest


def test_a_sea_over_all_land_and_damaged_tiles_are_refused(landscape):
    with pytest.raises(InputError, match="All of the landscape lies below the sea"):
        analyze(landscape.folder, Alone(), Question(sea_level=5000.0))
    assert not Landscape(landscape.folder).has("slope")
    (landscape.folder / "start" / "elevation" / "x0_y1.npy").write_bytes(b"")
    with pytest.raises(InputError, match=r"x0_y1\.npy is damaged"):
        analyze(landscape.folder, None)


@pytest.mark.slow
def test_the_command_prints_figures_and_writes_a_report(landscape, tmp_path):
    report = tmp_path / "report.json"
    told = run("landscape", "analyze", landscape.folder, "--report", report, "--quiet")
    assert told.returncode == 0, told.stderr
    assert b"Largest drainage area" in told.stdout and '"drainage_area"' in report.read_text()
