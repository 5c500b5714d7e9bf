# SPDX-License-Identifier: GPL-3.0-or-later
"""Heightmap files without Blender."""

import builtins
import errno
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from erosion_addon.base import memory
from erosion_addon.base.errors import InputError
from erosion_addon.files import heightmap
from erosion_addon.files.formats import SUFFIXES
from erosion_addon.files.heightmap import Written, read_heights
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading
from tests import latin_1
from tests.cli.commandline import png
from tests.geotiff import geotiff
from tests.heightmaps import read_heightmap, write_heightmap

FILES = OpenImageIOFiles()
RANGE = (-100.0, 4000.0)
STEP = (RANGE[1] - RANGE[0]) / 65535


@pytest.fixture
def hills():
    """Not square, no symmetry, values that float32 holds exactly."""
    return (
        np.random.default_rng(3).uniform(-100, 4000, (11, 7)).astype(np.float32).astype(np.float64)
    )


def refusal(path, **options):
    with pytest.raises(InputError) as caught:
        read_heightmap(path, FILES, **options)
    message = str(caught.value)
    assert str(path) in message and message.endswith(".") and "\n" not in message
    return message


def only(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("suffix", [".npy", ".exr", ".tif", ".tiff", ".TIF", ".r32"])
def test_float_files_bring_every_height_back(tmp_path, hills, suffix):
    path = tmp_path / f"Hügel und Täler{suffix}"
    assert write_heightmap(path, hills, FILES) == Written()
    np.testing.assert_array_equal(read_heightmap(path, FILES, size=(11, 7)), hills)
    assert only(tmp_path) == [path.name]


@pytest.mark.parametrize("suffix", [".png", ".PNG", ".r16", ".raw"])
def test_16_bit_files_bring_heights_back_to_half_a_step(tmp_path, hills, suffix):
    path = tmp_path / f"hills{suffix}"
    assert write_heightmap(path, hills, FILES, RANGE) == Written(RANGE, 0)
    back = read_heightmap(path, FILES, RANGE, (11, 7))
    assert np.abs(back - hills).max() <= STEP / 2 * (1 + 1e-9)
    write_heightmap(tmp_path / f"again{suffix}", back, FILES, RANGE)
    assert (tmp_path / f"again{suffix}").read_bytes() == path.read_bytes()


def test_all_65536_levels_of_a_png_survive(tmp_path):
    levels = np.arange(65536.0).reshape(256, 256)
    write_heightmap(tmp_path / "levels.png", levels, FILES, (0, 65535))
    np.testing.assert_array_equal(
        read_heightmap(tmp_path / "levels.png", FILES, (0, 65535)), levels
    )


def test_the_first_row_of_an_image_or_raw_file_is_the_largest_y(tmp_path):
    ramp = np.repeat(np.arange(4.0)[:, np.newaxis], 4, 1)
    write_heightmap(tmp_path / "ramp.r32", ramp, FILES)
    assert np.fromfile(tmp_path / "ramp.r32", "<f4")[0] == 3
    write_heightmap(tmp_path / "ramp.exr", ramp, FILES)
    import OpenImageIO

    image = OpenImageIO.ImageInput.open(str(tmp_path / "ramp.exr"))
    assert image.read_image("float")[0, 0, 0] == 3
    write_heightmap(tmp_path / "ramp.npy", ramp, FILES)
    assert np.load(tmp_path / "ramp.npy")[0, 0] == 0


def test_without_a_range_16_bit_files_use_the_lowest_and_highest_value(tmp_path, hills):
    written = write_heightmap(tmp_path / "a.png", hills, FILES)
    assert written.height_range == (hills.min(), hills.max()) and written.clipped_cells == 0
    flat = write_heightmap(tmp_path / "b.png", np.full((4, 4), 7.0), FILES)
    assert flat.height_range == (7, 8)
    np.testing.assert_array_equal(read_heightmap(tmp_path / "b.png", FILES, flat.height_range), 7)


def test_values_beyond_the_range_are_cut_off_and_counted(tmp_path):
    values = np.array([[-5.0, 0, 5], [10, 15, 20], [1, 2, 3]])
    assert write_heightmap(tmp_path / "a.png", values, FILES, (0, 10)).clipped_cells == 3
    back = read_heightmap(tmp_path / "a.png", FILES, (0, 10))
    assert back[0, 0] == 0 and back[1, 2] == 10


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
@pytest.mark.parametrize("order", "CF")
def test_npy_files_of_either_byte_order_and_layout_are_read(tmp_path, hills, dtype, order):
    np.save(tmp_path / "a.npy", np.asarray(hills, dtype, order=order))
    back = read_heightmap(tmp_path / "a.npy", FILES)
    np.testing.assert_array_equal(back, hills)
    assert back.dtype == np.float64 and back.flags.c_contiguous


def test_npy_keeps_float64_when_asked(tmp_path):
    values = np.full((3, 3), 1000.00001)
    write_heightmap(tmp_path / "a.npy", values, FILES, dtype=np.float64)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), values)
    write_heightmap(tmp_path / "a.npy", values, FILES)
    assert np.load(tmp_path / "a.npy").dtype == np.float32


@pytest.mark.parametrize(
    "array,words",
    [
        (np.array([[object()] * 3] * 3), "object"),
        (np.zeros((3, 3), int), "int64"),
        (np.zeros((3, 3), np.float16), "float16"),
        (np.zeros((3, 3, 3)), "3 dimensions"),
        (np.zeros(9), "1 dimensions"),
        (np.float64(3), "0 dimensions"),
        (np.zeros((1, 9)), "at least 3 × 3"),
        (np.zeros((2, 2)), "at least 3 × 3"),
        (np.zeros((0, 5)), "at least 3 × 3"),
        (
            np.array([[1, 2, 3], [4, 5e9, 6], [7, 8, 6e9]]),
            "2 cells that are not numbers.*row 1, column 1",
        ),
        (np.full((3, 3), -3.4e38), "9 cells"),
    ],
)
def test_an_array_that_is_no_terrain_is_refused_in_a_sentence(tmp_path, array, words):
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    with pytest.raises(InputError, match=words):
        read_heightmap(tmp_path / "a.npy", FILES)


@pytest.mark.parametrize("keep", [3, 9, 60, 127, 128, 200])
def test_a_truncated_npy_is_refused(tmp_path, hills, keep):
    np.save(tmp_path / "a.npy", hills)
    (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:keep])
    refusal(tmp_path / "a.npy")


@pytest.mark.parametrize("suffix", [".exr", ".tif", ".png"])
@pytest.mark.parametrize("cut", [0.2, 0.7, 0.95])
def test_a_truncated_image_is_refused_in_a_sentence(tmp_path, hills, suffix, cut):
    path = tmp_path / f"a{suffix}"
    write_heightmap(path, hills, FILES, RANGE)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * cut)])
    assert "cut off" in refusal(path, height_range=RANGE)


def test_a_png_whose_pixels_are_damaged_is_refused(tmp_path):
    path = tmp_path / "a.png"
    write_heightmap(path, np.random.default_rng(1).random((50, 50)), FILES)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    path.write_bytes(data)
    assert "damaged" in refusal(path, height_range=(0, 1))


def test_raw_files_are_square_or_need_their_size(tmp_path):
    square = np.arange(25, dtype="<u2")
    for name in ("a.r16", "a.raw"):
        square.tofile(tmp_path / name)
        assert read_heightmap(tmp_path / name, FILES, (0, 65535)).shape == (5, 5)
    np.arange(12, dtype="<f4").tofile(tmp_path / "b.raw")
    assert "48 bytes, which is not a square" in refusal(tmp_path / "b.raw")
    assert "not 5 × 3 cells" in refusal(tmp_path / "b.raw", size=(5, 3))
    assert read_heightmap(tmp_path / "b.raw", FILES, size=(4, 3))[0, 0] == 9
    assert "height range" in refusal(tmp_path / "a.r16")
    assert "at least 3 × 3" in refusal(tmp_path / "b.raw", size=(12, 1))


def test_gray_images_need_a_height_range(tmp_path, hills):
    write_heightmap(tmp_path / "a.png", hills, FILES)
    assert "give the height range" in refusal(tmp_path / "a.png")
    for span in [(5, 5), (9, 1), (0, np.nan), (0, np.inf)]:
        with pytest.raises(InputError, match="height range"):
            read_heightmap(tmp_path / "a.png", FILES, span)


def test_a_size_that_is_not_the_file_s_is_refused(tmp_path, hills):
    write_heightmap(tmp_path / "a.exr", hills, FILES)
    assert "11 × 7, not 7 × 11" in refusal(tmp_path / "a.exr", size=(7, 11))


def write_pixels(path, pixels, kind, **attributes):
    import OpenImageIO

    spec = OpenImageIO.ImageSpec(pixels.shape[1], pixels.shape[0], pixels.shape[2], kind)
    if pixels.shape[2] == 2:
        spec.channelnames = ("Y", "A")
    for name, value in attributes.items():
        spec.attribute(name, value)
    image = OpenImageIO.ImageOutput.create(str(path))
    assert image.open(str(path), spec) and image.write_image(pixels) and image.close()


def test_an_int16_tiff_without_a_range_is_in_whole_meters(tmp_path):
    meters = np.array([[-32767, -420, -1], [0, 1, 2], [8848, 12345, 32767]], np.int16)
    write_pixels(tmp_path / "dem.tif", meters[:, :, np.newaxis], "int16")
    np.testing.assert_array_equal(read_heightmap(tmp_path / "dem.tif", FILES), meters[::-1])
    scaled = read_heightmap(tmp_path / "dem.tif", FILES, (0, 32767))
    np.testing.assert_array_equal(scaled, meters[::-1])


@pytest.mark.parametrize("channels", [2, 3, 4])
@pytest.mark.parametrize(
    "name,kind", [("a.png", "uint8"), ("a.png", "uint16"), ("a.tif", "uint16"), ("a.exr", "half")]
)
def test_alpha_is_ignored_and_equal_colors_are_gray(tmp_path, name, kind, channels):
    white = {"uint8": 255, "uint16": 65535, "half": 1}[kind]
    levels = (
        np.random.default_rng(2)
        .integers(0, white + 1, (5, 4))
        .astype("f2" if kind == "half" else kind)
    )
    pixels = np.repeat(levels[:, :, np.newaxis], channels, 2)
    if channels in (2, 4):
        pixels[..., -1] = white // 3  # a library that multiplies by alpha would be found out
    write_pixels(tmp_path / name, pixels, kind, **{"oiio:UnassociatedAlpha": 1})
    np.testing.assert_allclose(
        read_heightmap(tmp_path / name, FILES, (0, white)), levels[::-1], rtol=1e-12
    )


def test_a_color_image_is_refused(tmp_path):
    pixels = np.random.default_rng(2).integers(0, 255, (5, 4, 3)).astype(np.uint8)
    write_pixels(tmp_path / "photo.png", pixels, "uint8")
    assert "color image" in refusal(tmp_path / "photo.png", height_range=(0, 1))


def test_a_terrain_too_large_for_memory_is_refused_with_numbers(tmp_path, hills, monkeypatch):
    for name in ("a.npy", "a.exr", "a.png"):
        write_heightmap(tmp_path / name, hills, FILES)
    hills.astype("<f4").tofile(tmp_path / "a.r32")
    monkeypatch.setattr(memory, "available_memory", lambda: 100)
    for name in ("a.npy", "a.exr", "a.png", "a.r32"):
        message = refusal(tmp_path / name, height_range=(0, 1), size=(11, 7))
        assert "needs about 0.1 MB of memory, and 0.1 MB is free" in message


@pytest.mark.parametrize("read", [OpenImageIOFiles.read, OpenImageIOFiles.read_color])
def test_a_png_of_389_kb_that_claims_400_million_pixels_is_not_unpacked(
    tmp_path, monkeypatch, read
):
    """Each byte of deflate may stand for 1032 pixels of one color, so that the file may well hold
    them.
    """
    path = tmp_path / "a.png"
    path.write_bytes(png(20_000, 20_000, np.random.default_rng(1).bytes(389_000), bits=8))
    monkeypatch.setattr(memory, "available_memory", lambda: 10**12)
    with pytest.raises(
        InputError, match=r"needs about 6\.4 GB of memory, although the file has only 0\.4 MB"
    ):
        read(FILES, path)


def test_free_memory_is_known_here():
    assert 1e6 < memory.available_memory() < 1e15
    memory.require(1000, "Nothing")
    with pytest.raises(
        InputError, match=r"^Reading a file needs about 1000000000.0 GB of memory, and "
    ):
        memory.require(10**18, "Reading a file")


def test_an_npy_that_claims_57_gigabytes_is_refused_before_anything_is_allocated(tmp_path):
    with (tmp_path / "a.npy").open("wb") as stream:
        np.lib.format.write_array_header_1_0(
            stream, {"shape": (120_000, 120_000), "fortran_order": False, "descr": "<f4"}
        )
    assert "cut off" in refusal(tmp_path / "a.npy")


def test_paths_that_cannot_be_written_are_refused_in_a_sentence(tmp_path, hills):
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("x")
    for name, words in [
        ("folder.png", "is a folder"),
        ("absent/a.png", "does not exist"),
        ("file/a.npy", "does not exist"),
        ("a.jpg", "must end in .npy"),
        ("a", "must end in .npy"),
        ("n" * 300 + ".npy", "cannot be written"),
        ("\udcff.npy", "not a usable file name"),
    ]:
        with pytest.raises(InputError, match=words):
            write_heightmap(tmp_path / name, hills, FILES)
    assert only(tmp_path) == ["file", "folder.png"]


def test_values_that_fit_no_file_are_refused(tmp_path):
    for values in [np.full((3, 3), np.nan), np.zeros(9), np.zeros((0, 3)), np.full((3, 3), 1e39)]:
        with pytest.raises(InputError, match="cannot be written"):
            write_heightmap(tmp_path / "a.exr", values, FILES)
    assert only(tmp_path) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("place", ["replace", "fsync"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path, hills, monkeypatch, suffix, place
):
    path = tmp_path / f"a{suffix}"
    path.write_text("precious")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, place, fail)
    with pytest.raises(InputError, match="No space left on device"):
        write_heightmap(path, hills, FILES)
    assert only(tmp_path) == [path.name] and path.read_text() == "precious"


@pytest.mark.parametrize("suffix", [".npy", ".r16", ".tif"])
def test_a_file_that_cannot_be_opened_leaves_the_old_one(tmp_path, hills, monkeypatch, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_text("precious")

    def fail(*_, **__):
        raise PermissionError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(InputError, match="Read-only file system"):
        write_heightmap(path, hills, FILES)
    monkeypatch.undo()
    assert only(tmp_path) == [path.name] and path.read_text() == "precious"


FULL_DISK = """
import resource, signal, sys
import numpy as np
from pathlib import Path
from erosion_addon.base.errors import InputError
from erosion_addon.files.formats import SUFFIXES
from tests.heightmaps import write_heightmap
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for suffix in SUFFIXES:
    try:
        hills = np.random.default_rng(1).random((200, 200))
        write_heightmap(Path(sys.argv[1]) / f"a{suffix}", hills, OpenImageIOFiles())
        print(suffix, "was written")
    except InputError as error:
        print(suffix, "refused:", error)
"""


@pytest.mark.worker
def test_a_full_disk_is_noticed_for_every_kind_of_file(tmp_path):
    """The limit of the file size stands for the full disk: writes beyond it fail in the same
    way.
    """
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("refused:") == len(SUFFIXES), done.stdout + done.stderr
    assert only(tmp_path) == []


def test_a_symbolic_link_stays_and_its_target_is_replaced(tmp_path, hills):
    (tmp_path / "real.npy").write_text("old")
    (tmp_path / "link.npy").symlink_to(tmp_path / "real.npy")
    write_heightmap(tmp_path / "link.npy", hills, FILES)
    assert (tmp_path / "link.npy").is_symlink()
    np.testing.assert_array_equal(np.load(tmp_path / "real.npy"), hills)


def test_a_missing_openimageio_is_explained(tmp_path, hills, monkeypatch):
    write_heightmap(tmp_path / "a.exr", hills, FILES)
    monkeypatch.setitem(sys.modules, "OpenImageIO", None)
    with pytest.raises(InputError, match="pip install OpenImageIO"):
        read_heightmap(tmp_path / "a.exr", FILES)
    write_heightmap(tmp_path / "a.tif", hills, FILES)  # needs no library


def test_running_out_of_memory_is_a_sentence(tmp_path, hills, monkeypatch):
    write_heightmap(tmp_path / "a.npy", hills, FILES)

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(heightmap.np, "fromfile", fail)
    assert "not enough memory" in refusal(tmp_path / "a.npy")


@pytest.mark.fuzz
def test_mutated_files_give_heights_or_a_sentence(tmp_path, hills):
    seed = 77
    print("seed", seed)
    chance = random.Random(seed)
    originals = {}
    for suffix in (".npy", ".exr", ".tif", ".png"):
        write_heightmap(tmp_path / f"a{suffix}", hills, FILES, RANGE)
        originals[suffix] = (tmp_path / f"a{suffix}").read_bytes()
    read = 0
    for number in range(300):
        suffix = chance.choice(list(originals))
        data = bytearray(originals[suffix])
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.choice(
                [0, 1, 127, 255, chance.randrange(256)]
            )
        path = tmp_path / f"mutant {number}{suffix}"
        path.write_bytes(data[: chance.choice([len(data)] * 3 + [chance.randrange(1, len(data))])])
        try:
            assert np.isfinite(read_heightmap(path, FILES, RANGE)).all()
            read += 1
        except InputError as error:
            assert str(path) in str(error)
    print(read, "of 300 were still readable")


def test_no_bytes_of_a_heightmap_are_ever_unpickled(tmp_path, monkeypatch):
    np.save(tmp_path / "a.npy", np.array([[print]]), allow_pickle=True)
    monkeypatch.setattr(builtins, "print", None)
    refusal(tmp_path / "a.npy")


IN_LATIN_1 = r"""
from pathlib import Path
import numpy as np
from tests.heightmaps import read_heightmap
from tests.heightmaps import write_heightmap
from erosion_addon.files.image_files import OpenImageIOFiles
from erosion_addon.files.reading.record import Reading

hills = np.arange(12.0).reshape(3, 4)
for name in ("H\xfcgel.exr", "T\xe4ler.png", "H\xfcgel.tif", "T\xe4ler.npy"):
    path = Path(sys.argv[1], name)
    write_heightmap(path, hills, OpenImageIOFiles(), (0.0, 65535.0))
    assert np.array_equal(read_heightmap(path, OpenImageIOFiles(), (0.0, 65535.0)), hills), name
"""


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "latin-1"])
def test_names_that_are_not_utf_8_are_read_and_written(tmp_path, encoding):
    """OpenImageIO looks for the UTF-8 of a name: those of the folder and the files are other
    bytes.
    """
    folder = os.fsencode(tmp_path) + b"/" + "Höhen".encode(encoding, "ignore")
    os.mkdir(folder)  # noqa: PTH102 - a Path is text
    latin_1.run(IN_LATIN_1, folder, locales=tmp_path)
    names = {"Hügel.exr", "Täler.png", "Hügel.tif", "Täler.npy"}
    assert set(os.listdir(folder)) == {name.encode("latin-1") for name in names}  # noqa: PTH208


@pytest.mark.parametrize("suffix", [".npy", ".raw", ".r16", ".tif"])
def test_a_file_that_is_not_there_is_told_by_its_name(tmp_path, suffix):
    said = refusal(tmp_path / f"gone{suffix}", height_range=RANGE)
    assert f"gone{suffix}" in said and ("does not exist" in said or "No such file" in said)


def test_a_raw_file_without_rows_is_refused(tmp_path):
    (tmp_path / "a.r16").write_bytes(b"")
    with pytest.raises(InputError, match="is empty"):
        read_heightmap(tmp_path / "a.r16", FILES, RANGE)
    (tmp_path / "b.r16").write_bytes(b"12" * 9)
    with pytest.raises(InputError, match="give another size"):
        read_heightmap(tmp_path / "b.r16", FILES, RANGE, (0, 9))


def test_half_of_a_heightmap_may_be_unmeasured_and_no_more(tmp_path):
    """The note is for who listens; without one, holes are filled all the same."""
    pixels = np.full((8, 8), 500, np.int16)
    pixels[:, :4] = -(2**15)  # as SRTM has it, without saying so
    geotiff(tmp_path / "srtm.tif", pixels)
    notes = []
    assert (read_heightmap(tmp_path / "srtm.tif", FILES, note=notes.append) == 500).all()
    assert len(notes) == 1 and "32 of 64 cells" in notes[0]
    assert (read_heightmap(tmp_path / "srtm.tif", FILES) == 500).all()
    pixels[0, 4] = -(2**15)
    geotiff(tmp_path / "srtm.tif", pixels)
    assert "too many to fill" in refusal(tmp_path / "srtm.tif")


def test_a_number_for_no_data_that_a_tiff_names_leaves_the_usual_one_a_height(tmp_path):
    pixels = np.full((8, 8), 500, np.int16)
    pixels[2, 3] = -(2**15)
    pixels[5, 5] = 7
    geotiff(tmp_path / "dem.tif", pixels, "7")
    read = read_heightmap(tmp_path / "dem.tif", FILES)
    assert read[8 - 1 - 2, 3] == -(2**15) and read[8 - 1 - 5, 5] != 7


def test_nothing_at_all_is_no_heightmap_to_write(tmp_path):
    for values in (np.zeros((0, 5)), np.zeros(5)):
        with pytest.raises(InputError, match="must be a rectangle"):
            write_heightmap(tmp_path / "a.npy", values, FILES)
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_large_for_memory_names_what_fits(tmp_path, monkeypatch):
    """A cell of float32 needs 14 bytes: of 90 000 cells a quarter fits, which is one in 2 rows and
    columns.
    """
    np.save(tmp_path / "a.npy", np.zeros((300, 300), np.float32))
    monkeypatch.setattr(memory, "available_memory", lambda: 300 * 300 * 14 // 4)
    said = refusal(tmp_path / "a.npy")
    assert (
        "read one in 2 rows and columns (every), a window of 150 × 150 cells, or make a landscape "
        "in tiles" in said
    )
    for fits in (Reading(every=2), Reading(window=(10, 20, 150, 150))):
        assert read_heights(tmp_path / "a.npy", FILES, fits)[0].shape == (150, 150)


def test_holes_need_memory_of_their_own(tmp_path, monkeypatch):
    heights = np.zeros((300, 300), np.float32)
    monkeypatch.setattr(memory, "available_memory", lambda: 300 * 300 * 20)
    np.save(tmp_path / "a.npy", heights)
    read_heights(tmp_path / "a.npy", FILES)
    heights[5, 5] = np.nan
    np.save(tmp_path / "a.npy", heights)
    assert "needs about 2.3 MB" in refusal(tmp_path / "a.npy")
