# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes in files and words, mutated toward code not seen before: `make fuzz SECONDS=600`.

`python -m tests.fuzz KIND --seconds 60` (or --runs 10000) fuzzes one kind with Atheris, which needs
Linux. What it learns stays in build/fuzz, where the next run goes on. A failure is a crash, a hang
of 20 s, 2 GiB of memory, or anything raised but a sentence; build/fuzz then holds the bytes that
caused it.
"""

import argparse
import atexit
import contextlib
import hashlib
import io
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import atheris
import numpy as np

from tests.terrains import fractal, windows_of

ROOT = Path(__file__).resolve().parents[1]
READERS = [
    f"erosion_addon.{room}"
    for room in (
        "base",
        "cli",
        "files",
        "landscape",
        "recipe",
        "run",
        "scene.terrain",
        "terrain",
        "worker",
    )
]
"""Rooms that read what comes from outside."""
KERNELS = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "erosion_addon").rglob("kernels/*.py")
]
"""What numba compiles, which has to stay as it was written: Atheris includes whole packages."""

with (
    contextlib.redirect_stderr(io.StringIO()),
    atheris.instrument_imports(include=READERS, exclude=KERNELS),
):
    from erosion_addon import Checkpoint, InputError, Recipe, Terrain, resume, simulate
    from erosion_addon.base.data_files import shipped
    from erosion_addon.base.errors import printable
    from erosion_addon.cli import arguments
    from erosion_addon.files import formats, heightmap, mask_file, side_file
    from erosion_addon.files.headers import georeference, image_header
    from erosion_addon.files.image_files import OpenImageIOFiles
    from erosion_addon.files.reading.record import Reading, Record
    from erosion_addon.landscape import estimate, export
    from erosion_addon.landscape import make as makers
    from erosion_addon.landscape.analyze import analyze, lines
    from erosion_addon.landscape.erode import Alone, do_one, erode, prepare
    from erosion_addon.landscape.plan import Plan
    from erosion_addon.landscape.storage import manifest as manifests
    from erosion_addon.landscape.storage.folder import Landscape, Window
    from erosion_addon.landscape.window import overview, put_back, take
    from erosion_addon.scene.terrain import lattice
    from erosion_addon.terrain import masks
    from tests.heightmaps import inspect, read_heightmap, write_heightmap

LEARNED = ROOT / "build" / "fuzz"
LONGEST = 8192
"""Bytes of an input; checkpoints have more."""

HEIGHTS = (fractal(5, 7, 100.0) * 10).astype(np.uint16)
WORDS = (
    (
        "erode in.png out.exr --recipe alpine --height-range 0 800 --cell-size 10 --set "
        "droplet.drops_per_cell=2 --seed 7"
    ),
    "make out.tif --source fractal --size 64 64 --set roughness=0.5",
    "convert in.r16 out.png --size 5x7 --height-range -1e3 .5 --cell-size 1e-3",
    "landscape export land out.r16 --names tile_{x:03d}_{y} --side 513",
    "resume run.npz out.npy --time-limit 1e3 --checkpoint run.npz --checkpoint-every 5 --threads 2",
    "analyze in.tif --plot out.svg",
    "rivers in.exr out.geojson --source-area 0.5",
    "variants in.png folder --recipe canyon --seeds 3",
    "render land.blend out.png --view composed",
    "recipes alpine",
)


@contextlib.contextmanager
def file_of(content: bytes, suffix: str) -> Iterator[Path]:
    """A file of bytes, in memory where the system has such a folder."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        path = Path(folder) / f"land{suffix}"
        path.write_bytes(content)
        yield path


def sentence(act: Callable[[], object]) -> None:
    """Do it: a value comes of it, or a sentence."""
    try:
        act()
    except InputError as error:
        assert str(error).endswith((".", "?")), error


RASTERS = (".hgt", ".asc", ".pfm", ".bil", ".flt", ".tif")
LEAST = Reading(height_range=(0.0, 100.0))
IMAGES = ((".png", "uint16"), (".tif", "float32"), (".exr", "float32"))


def written(suffix: str, dtype: str) -> bytes:
    """A small heightmap as a file."""
    with file_of(b"", suffix) as path:
        span = None if dtype.startswith("float") else (0.0, 100.0)
        write_heightmap(path, HEIGHTS.astype(float), OpenImageIOFiles(), span, dtype)
        return path.read_bytes()


def recipe(content: bytes) -> None:
    """A recipe's TOML; what is read is written and read again."""
    text = content.decode("utf-8", "replace")

    def read() -> None:
        found = Recipe.parse(text, "The recipe")
        assert Recipe.parse(found.to_toml(), "The same") == found

    sentence(read)


def image(content: bytes) -> None:
    """The header of an image, and where a GeoTIFF lies."""
    sentence(lambda: image_header.parse_header(io.BytesIO(content), len(content), "The image"))


def pixels(content: bytes) -> None:
    """A whole image of heights; the first byte chooses its format."""
    suffix = IMAGES[content[0] % len(IMAGES)][0] if content else ".png"
    with file_of(content[1:], suffix) as path:

        def read() -> None:
            assert np.isfinite(read_heightmap(path, OpenImageIOFiles(), (0.0, 100.0))).all()

        sentence(read)


def mask(content: bytes) -> None:
    """A mask of any numbers: kind, fit, border and columns, and float32 values row by row."""
    kind, fit, border, cols, *_ = (*content[:4], 0, 0, 0, 0)
    name = list(masks.MASK_KINDS)[kind % len(masks.MASK_KINDS)]
    values = np.frombuffer(
        content[4 : 4 + (len(content) - 4) // 4 * 4] if len(content) > 4 else b"", np.float32
    )
    cols = 1 + cols % 9
    given = values[: len(values) // cols * cols].reshape(-1, cols)

    def prepare() -> None:
        with np.errstate(all="ignore"):
            made = (
                masks.fitted(given, name, ("exact", "clamp", "stretch")[fit % 3])
                if given.size
                else given
            )
            if border % 2 and given.size:
                made = masks.softened(masks.inverted(made, name), (1.0, 2.0), border / 16.0)
            found = masks.prepare({name: made}, (5, 7))[0][name]
        assert (
            found.shape == (5, 7)
            and found.min() >= 0.0
            and found.max() <= masks.MASK_KINDS[name].highest
        )

    sentence(prepare)


def mesh(content: bytes) -> None:
    """Vertices of a mesh that is a grid but for the float32 values that stand in the bytes, each
    behind its place.
    """
    rows, cols, *_ = (*content[:2], 5, 5)
    rows = 1 + rows % 12
    cols = 1 + cols % 12
    places = (
        np.stack([*np.mgrid[0:rows, 0:cols][::-1], np.zeros((rows, cols))], -1)
        .reshape(-1, 3)
        .astype(np.float32)
    )
    changes = np.frombuffer(
        content[2 : 2 + (len(content) - 2) // 6 * 6] if len(content) > 2 else b"", "<u2,<f4"
    )
    scale = np.eye(4)
    for number, value in changes:
        if number >= 1 << 15:
            scale[number % 3, number // 3 % 3] = value
        else:
            places.ravel()[number % places.size] = value

    def find() -> None:
        with np.errstate(all="ignore"):
            found = lattice.find(
                "Land",
                places,
                lattice.axis_scales("Land", scale),
                lambda: np.zeros((0, 2), np.intp),
            )
        assert all(0.0 < side < np.inf for side in found.spacing)
        assert sorted(found.to_grid(np.arange(len(places))).ravel()) == list(range(len(places)))

    sentence(find)


def blend(content: bytes) -> None:
    """A custom property of a .blend file under one of the extension's names: which one, what it is,
    and its content.
    """
    from tests.ui import test_foreign_file as foreign

    keys = [*foreign.OF_MESHES, *foreign.OF_TERRAINS, *foreign.OF_COMPANIONS]
    key, kind, *_ = (*content[:2], 0, 0)
    name = keys[key % len(keys)]
    rest = content[2:]
    numbers = np.frombuffer(rest[: len(rest) // 8 * 8], "<f8").tolist()
    text = rest.decode("utf-8", "replace").replace("\0", "")
    value = (
        text,
        rest,
        numbers,
        numbers[0] if numbers else 0,
        int.from_bytes(rest[:3], "little"),
        {"a": text},
    )[kind % 6]
    with contextlib.redirect_stdout(io.StringIO()):
        land = _land(foreign.terrain_with_everything)
        holders = [land.data] if name in foreign.OF_MESHES else [land]
        for holder in land.children if name in foreign.OF_COMPANIONS else holders:
            holder[name] = value
        foreign.look_at_all(land)


_lands: list[Any] = []
LOOKS = 10
"""Inputs for which a terrain is used, as making one takes long: what they leave in its properties
adds up.
"""


def _land(make: Callable[[], Any]) -> Any:
    """A terrain, made anew now and then."""
    if not _lands:
        import erosion_addon

        erosion_addon.register()
    if len(_lands) % LOOKS == 0:
        _lands.append(make())
    else:
        _lands.append(_lands[-1])
    return _lands[-1]


def place(content: bytes) -> None:
    """The place of a terrain on Earth, as a .blend file holds it."""
    found = georeference.Georeference.from_text(content.decode("utf-8", "replace"))
    assert found is None or georeference.Georeference.from_text(found.to_text()) is not None


def numbers(content: bytes) -> None:
    """Heightmaps of plain numbers; the first byte chooses which kind."""
    suffixes = (".npy", *formats.RAW_SUFFIXES)
    suffix = suffixes[content[0] % len(suffixes)] if content else ".npy"
    with file_of(content[1:], suffix) as path:
        sentence(lambda: read_heightmap(path, OpenImageIOFiles(), (0.0, 100.0)))


def reading(content: bytes) -> None:
    """A heightmap, a mask, and options; the first byte chooses the format, seven more the options.
    All of a file is read, looked at before, and read in windows, to the same bytes.
    """
    suffix = formats.READ_SUFFIXES[content[0] % len(formats.READ_SUFFIXES)] if content else ".npy"
    options = Reading()
    numbers, unit, no_data, holes, order, every, window, *_ = (*content[1:8], *bytes(7))
    options = Reading(
        height_range=(0.0, 100.0) if numbers & 4 else None,
        numbers=("auto", "heights", "shades")[(numbers & 3) % 3],
        unit=("auto", "m", "ft", "us-ft")[unit % 4],
        no_data=(None, 0.0, -9999.0, float("nan"))[no_data % 4],
        holes=("fill", "sea")[holes % 2],
        byte_order=("auto", "little", "big")[order % 3],
        depth=("auto", "u16", "i16", "f32")[order // 3 % 4],
        flip=bool(order & 128),
        every=every % 4,
        window=(window % 3, window // 3 % 3, 3 + window % 5, 3 + window // 5 % 5)
        if window
        else None,
    )
    with file_of(content[8:], suffix) as path:

        def read() -> None:
            with np.errstate(all="ignore"):
                whole, record = heightmap.read_heights(path, OpenImageIOFiles(), options)
                assert np.isfinite(whole).all() and whole.shape == record.shape
                assert inspect(path, options, OpenImageIOFiles()).holes == record.holes
                windows = heightmap.heightmap_windows(path, OpenImageIOFiles(), options)[1]
                assert np.array_equal(windows(0, whole.shape[0], 0, whole.shape[1]), whole)

        def read_mask() -> None:
            with np.errstate(all="ignore"):
                land = Record("The land", "float64", (5, 7), (5, 7))
                assert np.isfinite(mask_file.read_mask(path, OpenImageIOFiles(), land)[0]).all()

        sentence(read)
        sentence(read_mask)


def raster(content: bytes) -> None:
    """Elevation data; the first byte chooses its format. What stands before the first zero is a
    .hdr and a .prj.
    """
    suffix = RASTERS[content[0] % len(RASTERS)] if content else ".asc"
    beside, _, content = (
        content[1:].partition(b"\0")
        if suffix in (".bil", ".flt", ".tif")
        else (b"", b"", content[1:])
    )
    with file_of(content, suffix) as path:
        for name in (".hdr", ".prj", ".tfw"):
            path.with_suffix(name).write_bytes(beside)

        def read() -> None:
            with np.errstate(all="ignore"):
                assert np.isfinite(heightmap.read_heights(path, OpenImageIOFiles(), LEAST)[0]).all()

        sentence(read)


def rasters() -> list[bytes]:
    """Small files of each format."""
    from tests.files.rasters import test_blocks as blocks
    from tests.files.rasters import test_tiff_pixels as tiffs

    heights = HEIGHTS.astype("<f4")
    grid = blocks.grid(f"ncols 7\nnrows 5\n{blocks.LOWER_LEFT}NODATA_value -9999\n", heights)
    esri = f"NROWS 5\nNCOLS 7\nNBITS 32\nPIXELTYPE FLOAT\nNODATA -9999\n{blocks.MIDDLE}"
    envi = (
        blocks.ENVI.replace("20", "7").replace("30", "5")
        + f"data type = 4\nbyte order = 0\n{blocks.MAP}"
    )
    packed = [
        tiffs.packed(heights, packing, predictor, tile)
        for packing, predictor in ((1, 1), (8, 2), (34925, 3), (50000, 3))
        for tile in (None, (16, 16))
    ]
    return [
        b"\0" + bytes(2 * 11 * 11),
        b"\1" + grid.encode(),
        b"\2" + b"Pf\n7 5\n-1.0\n" + heights.tobytes(),
        *(
            bytes([3]) + text.encode() + b"\0" + heights.tobytes()
            for text in (esri, envi, blocks.UTM)
        ),
        b"\4" + f"ncols 7\nnrows 5\n{blocks.LOWER_LEFT}".encode() + b"\0" + heights.tobytes(),
        *(
            b"\5" + beside + b"\0" + content
            for beside in (b"30 0 0 -30 7 9", b"")
            for content in packed
        ),
    ]


def side(content: bytes) -> None:
    """The file beside a heightmap that tells its size."""
    with file_of(content, ".json") as path:
        sentence(lambda: side_file.known_meters(path.with_suffix(".r16")))
        sentence(lambda: side_file.entries(path))


def manifest(content: bytes) -> None:
    """The manifest of a landscape; what is read is written and read again."""
    with file_of(content, ".json") as path:
        path = path.rename(path.with_name(manifests.NAME))

        def read() -> None:
            found = manifests.Manifest.load(path.parent)
            found.save(path.parent)
            assert manifests.Manifest.load(path.parent) == found
            # figures of another kind are computed anew
            with contextlib.suppress(KeyError, TypeError, ValueError):
                lines(found.analysis)
            if found.erosion is not None:
                plan = Plan(Landscape(path.parent, found), found.erosion)
                assert estimate.in_words(plan).endswith(".") and min(plan.coarse_shape) >= 1

        sentence(read)


EVIL = (
    "0",
    "-1",
    "9" * 400,
    "1e308",
    "-1e308",
    "1e999",
    "NaN",
    "1e-320",
    "2147483648",
    "true",
    '"7"',
    "null",
    "[]",
)
"""What may stand in a manifest instead of a number."""

HARMS = (
    "bytes",
    "values",
    "number",
    "cut",
    "longer",
    "gone",
    "swapped",
    "link",
    "broken link",
    "pipe",
    "folder",
    "extra",
)
"""What somebody may have done to a file of a landscape."""

_landscapes: dict[str, Path] = {}


def landscape(content: bytes) -> None:
    """Somebody else's folder of a landscape: in which state it is, what is done with it, which file
    was harmed and how.

    Hashes in manifest and journals fit the harmed file, as somebody who means harm would see to.
    Nothing outside of the folder may change.
    """
    state, act, place, harm, *_ = (*content[:4], 0, 0, 0, 0)
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as scratch:
        made = _made_landscapes()[("start", "farm", "changes", "done")[state % 4]]
        folder = Path(shutil.copytree(made, Path(scratch) / "land"))
        mine = Path(scratch) / "mine"
        mine.write_bytes(b"mine")
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        _harm(files[place % len(files)], HARMS[harm % len(HARMS)], content[4:], folder, mine)
        with np.errstate(all="ignore"):
            sentence(lambda: _acts(act, folder))
        assert mine.read_bytes() == b"mine"


def _acts(act: int, folder: Path) -> None:
    """What an artist, or a machine of a farm, does with a landscape."""
    match act % 6:
        case 0:
            found = Landscape(folder)
            found.faults()
            assert np.isfinite(overview(found, 32).elevation).all()
        case 1:
            window = Window(0, 40, 40, 80)
            terrain, state = take(Landscape(folder), window)
            put_back(folder, window, state, terrain.elevation + 1.0)
        case 2:
            found = analyze(folder, Alone(1))
            assert (
                lines(found.manifest.analysis)
                and np.isfinite(found.read("drainage_area", found.whole)).all()
            )
        case 3:
            found = erode(folder, _few(), Alone(1), coarse=64)
            assert np.isfinite(found.read("elevation", found.whole)).all()
        case 4:
            prepare(folder, _few(), coarse=64)
            do_one(folder, "coarse", 1)
        case 5:
            do_one(folder, "shape_x1_y0", 1)


def _harm(path: Path, harm: str, content: bytes, folder: Path, mine: Path) -> None:
    """Harm a file, and let all hashes fit it."""
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    number = int.from_bytes(content[:4], "little")
    match harm:
        case "bytes":
            kept = bytearray(path.read_bytes())
            at = number % len(kept)
            kept[at : at + len(content[4:])] = content[4:]
            path.write_bytes(kept)
        case "values" if path.suffix == ".npy":
            values = np.load(path).astype("<f8")
            found = np.frombuffer(content[4 : 4 + len(content[4:]) // 8 * 8], "<f8")
            first = number % max(values.size, 1)
            values.ravel()[first : first + found.size] = found[: values.size - first]
            with np.errstate(all="ignore"):
                np.save(path, values.astype((np.float32, np.float64)[number % 2]))
        case "number" | "values":
            _harm_number(
                path if path.suffix == ".json" else folder / manifests.NAME, number, content[4:]
            )
        case "cut":
            path.write_bytes(path.read_bytes()[: number % (path.stat().st_size + 1)])
        case "longer":
            path.write_bytes(path.read_bytes() + content[4:] + b"0")
        case "swapped":
            others = sorted(file for file in folder.rglob(f"*{path.suffix}") if file.is_file())
            shutil.copyfile(others[number % len(others)], mine.with_name("other"))
            mine.with_name("other").replace(path)
        case "extra":
            shutil.copyfile(
                path, path.with_name(("evil", "velocity", "x7_y7")[number % 3] + path.suffix)
            )
        case _:
            path.unlink()
            if "link" in harm:
                path.symlink_to(mine if harm == "link" else "/nowhere")
            elif harm == "pipe":
                os.mkfifo(path)
            elif harm == "folder":
                path.mkdir()
    if path.is_file():
        after = hashlib.sha256(path.read_bytes()).hexdigest()
        for file in (*folder.rglob("*.json"), *folder.rglob("*.jsonl")):
            if file.is_file() and not file.is_symlink():
                file.write_bytes(file.read_bytes().replace(before.encode(), after.encode()))


def _harm_number(path: Path, number: int, content: bytes) -> None:
    """Another number, or none, in the place of one of all those in a JSON file."""
    table = json.loads(path.read_text())
    places = list(_numbers_in(table))
    holder, key = places[number % len(places)]
    holder[key] = "EVIL"
    values = np.frombuffer(content[1:9].ljust(8, b"\0"), "<f8").tolist()
    evil = EVIL[content[0] % len(EVIL)] if content and content[0] < 128 else json.dumps(values[0])
    path.write_text(json.dumps(table).replace('"EVIL"', evil))


def _numbers_in(table: Any) -> Iterator[tuple[Any, Any]]:
    """Each number of a JSON table as the holder and its key."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        if isinstance(value, dict | list):
            yield from _numbers_in(value)
        elif type(value) in (int, float):
            yield table, key


def _few() -> Recipe:
    return Recipe.load("alpine").with_values({"droplet.drops_per_cell": 0.1, "uplift.years": 2000})


def _made_landscapes() -> dict[str, Path]:
    """Landscapes of 1 x 2 tiles in each state, made once."""
    if not _landscapes:
        root = Path(tempfile.mkdtemp())
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        for state in ("start", "farm", "changes", "done"):
            folder = root / state
            grid = manifests.Manifest(64, 128, 64, (20.0, 20.0), "fractal")
            made = makers.make(folder, grid, windows_of(fractal(64, 128, 20.0) * 10.0))
            if state == "farm":
                prepare(folder, _few(), coarse=64)
                for name in ("coarse", "shape_x0_y0"):
                    do_one(folder, name, 1)
            elif state == "changes":
                (folder / "changes" / "start").mkdir(parents=True)
                shutil.copytree(
                    folder / "start" / "elevation", folder / "changes" / "start" / "elevation"
                )
                made.manifest.save(folder / "changes")
            elif state == "done":
                erode(folder, _few(), Alone(1), coarse=64)
                analyze(folder, Alone(1))
            _landscapes[state] = folder
    return _landscapes


def checkpoint(content: bytes) -> None:
    """A run that goes on from a file."""

    def go_on() -> None:
        with np.errstate(all="ignore"):
            for progress in itertools.islice(
                resume(Checkpoint.read(io.BytesIO(content), "The file")), 3
            ):
                assert np.isfinite(progress.terrain.elevation).all()

    sentence(go_on)


def words(content: bytes) -> None:
    """What stands on a command line."""
    given = content.decode("utf-8", "replace").split()

    def parse() -> None:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                arguments.parser("terrain-erosion").parse_args(given)
            except SystemExit as end:
                assert not end.code, "a refusal is a sentence"

    sentence(parse)


def names(content: bytes) -> None:
    """A pattern for the names of exported tiles, and any name on a terminal."""
    pattern = content.decode("utf-8", "surrogateescape")

    def fill_in() -> None:
        found = export._filled_in(pattern, "land", 3, 7)
        assert len(found) <= len(pattern) + 40  # no format of Python pads it

    sentence(fill_in)
    shown = printable(pattern)
    assert shown.isprintable() and printable(shown) == shown


def written_manifest() -> bytes:
    """The manifest of a landscape of four tiles, as a file."""
    step = {"kind": "talus", "reach": 10.0}
    order = manifests.Erosion({"name": "one", "step": [step]}, 1, "open", 64, 8)
    tiles = dict.fromkeys(("x0_y0", "x1_y0", "x0_y1", "x1_y1"), "0" * 64)
    mass = dict.fromkeys(
        ("before", "added", "exported", "moved", "suspended", "leveled", "after", "error"), 1.5
    )
    report = {"version": "0", "mass": mass, "seconds": 2.5, "tasks": 9}
    names = (
        "land_area",
        "lowest",
        "highest",
        "pits",
        "lake_volume",
        "largest_drainage_area",
        "hypsometric_integral",
    )
    figures = dict.fromkeys((*names, "slope_p50", "slope_p90", "slope_p99", "flat"), 0.5)
    asked = {"edges": "open", "sea_level": 1.0, "channel_area": 0.0, "of": "elevation"}
    analysis = {"asked": asked, "version": "0", **figures}
    layers = {"start/elevation": tiles}
    made = manifests.Manifest(
        128, 128, 64, (10.0, 10.0), "fractal", order, report, analysis, layers
    )
    with file_of(b"", ".json") as path:
        made.save(path.parent)
        return path.with_name(manifests.NAME).read_bytes()


def checkpoints() -> list[bytes]:
    """Files of runs of a few cells."""
    found = []
    for kind in ("droplet", "talus", "uplift"):
        step = Recipe.from_dict({"name": kind, "step": [{"kind": kind}, {"kind": "weather"}]})
        content = io.BytesIO()
        next(iter(simulate(Terrain(fractal(6, 7, 50.0), 10.0), step))).checkpoint.write(content)
        found.append(content.getvalue())
    return found


KINDS: dict[str, tuple[Callable[[bytes], None], Callable[[], list[bytes]]]] = {
    "recipe": (recipe, lambda: [path.read_bytes() for path in shipped().values()]),
    "image": (image, lambda: [written(*one) for one in IMAGES]),
    "pixels": (
        pixels,
        lambda: [bytes([number]) + written(*one) for number, one in enumerate(IMAGES)],
    ),
    "mask": (
        mask,
        lambda: [
            bytes([number, number, 3, 4]) + HEIGHTS.astype(np.float32).tobytes()
            for number in (0, 1)
        ],
    ),
    "mesh": (
        mesh,
        lambda: [bytes([5, 6, 2, 0, 0, 0, 128, 63]), bytes([5, 6, 0, 128, 0, 0, 0, 64])],
    ),
    "blend": (
        blend,
        lambda: [
            bytes([number, kind]) + b"name 12345678 {}" for number, kind in enumerate(range(16))
        ],
    ),
    "place": (
        place,
        lambda: [json.dumps({"shape": [5, 7], "tags": {"33550": [1.0, 1.0, 0.0]}}).encode()],
    ),
    "numbers": (
        numbers,
        lambda: [
            bytes([k]) + written(*one)
            for k, one in enumerate(((".npy", "float32"), (".r16", "uint16")))
        ],
    ),
    "raster": (raster, rasters),
    "reading": (
        reading,
        lambda: [
            bytes([formats.READ_SUFFIXES.index(suffix), 4]) + bytes(6) + written(suffix, dtype)
            for suffix, dtype in (
                *IMAGES,
                (".npy", "float32"),
                (".r16", "uint16"),
                (".r32", "float32"),
            )
        ],
    ),
    "side": (
        side,
        lambda: [
            json.dumps(
                {"files": ["land.r16"], "width": 7, "height": 5, "bpp": 16, "cell_size": [1, 1]}
            ).encode()
        ],
    ),
    "manifest": (manifest, lambda: [written_manifest()]),
    "landscape": (
        landscape,
        lambda: [
            bytes([harm % 4, harm % 6, 5 * harm, harm])
            + np.array([harm], "<u4").tobytes()
            + np.array([np.inf]).tobytes()
            for harm in range(len(HARMS))
        ],
    ),
    "checkpoint": (checkpoint, checkpoints),
    "names": (
        names,
        lambda: [b"{name}_y{y}_x{x}", b"tile_{x:03d}_{y:2}", "land\u202e{x}\x1b{y}".encode()],
    ),
    "words": (words, lambda: [line.encode() for line in WORDS]),
}
"""Kind -> what takes its bytes, and examples to begin with."""


def fuzz(kind: str, seconds: int, runs: int, seed: int) -> None:
    """Fuzz a kind in this process, which ends with it."""
    warnings.simplefilter("ignore")
    take, examples = KINDS[kind]
    folder = LEARNED / kind
    folder.mkdir(parents=True, exist_ok=True)
    for number, content in enumerate(examples()):
        (folder / f"example {number}").write_bytes(content)
    take(b"")
    limits = [f"-max_total_time={seconds}"] if seconds else [f"-runs={runs}"]
    options = [
        "-timeout=60",
        "-rss_limit_mb=2048",
        f"-max_len={LONGEST}",
        f"-artifact_prefix={LEARNED}/{kind} ",
    ]
    atheris.Setup(
        [
            kind,
            *limits,
            *options,
            f"-seed={seed}",
            "-verbosity=0",
            "-print_final_stats=1",
            str(folder),
        ],
        take,
    )
    atheris.Fuzz()


def main() -> int:
    """All kinds, one after the other, each in a process of its own; returns how many failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)} (default: all)"
    )
    parser.add_argument("--seconds", type=int, default=0, help="for all kinds together")
    parser.add_argument(
        "--runs", type=int, default=10000, help="for each kind, where no seconds are given"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", action="store_true", help="in this process")
    given = parser.parse_args()
    kinds = given.kinds or list(KINDS)
    if given.here:
        fuzz(kinds[0], given.seconds, given.runs, given.seed)
    failures = 0
    for kind in kinds:
        limit = (
            ["--seconds", str(max(given.seconds // len(kinds), 1))]
            if given.seconds
            else ["--runs", str(given.runs)]
        )
        command = [
            sys.executable,
            "-m",
            "tests.fuzz",
            kind,
            "--here",
            "--seed",
            str(given.seed),
            *limit,
        ]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, errors="replace", env=os.environ
        )
        said = dict(
            line.split(":", 3)[2:] for line in done.stderr.splitlines() if line.startswith("stat::")
        )
        count = said.get("number_of_executed_units", "0").strip()
        print(
            f"{kind}: {count} inputs, {'failed' if done.returncode else '0 failures'}", flush=True
        )
        if done.returncode:
            print(done.stdout[-3000:], done.stderr[-5000:], sep="\n")
            failures += 1
    return failures


if __name__ == "__main__":
    sys.exit(main() > 0)
