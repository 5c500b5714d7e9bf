# SPDX-License-Identifier: GPL-3.0-or-later
"""An elevation model dropped into a real window: the dialog says what it makes, and the terrain is
in view.
"""

import time
from pathlib import Path

import artist
import first_click
from trials import PICTURE

WRITE = """
import struct
def elevation_model(path, rows, cols):
    \"\"\"A GeoTIFF of whole meters, 1000 to 1600 m, on cells of 30 m in UTM 32 N.\"\"\"
    y, x = np.mgrid[:rows, :cols]
    land = np.rint(1300 + 300 * np.sin(x / 23) * np.cos(y / 17)).astype("<i2")
    doubles = {33550: (30.0, 30.0, 0.0), 33922: (0.0, 0.0, 0.0, 600000.0, 5200000.0, 0.0)}
    keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 32632)
    short = {258: 16, 259: 1, 262: 1, 277: 1, 339: 2}
    long = {256: cols, 257: rows, 273: 8, 278: rows, 279: land.nbytes}
    data = bytearray(struct.pack("<2sHI", b"II", 42, 8 + land.nbytes) + land.tobytes())
    count = len(doubles) + len(short) + len(long) + 1
    rest, entries = len(data) + 2 + 12 * count + 4, {}
    more = b""
    for tag, values in doubles.items():
        entries[tag] = struct.pack("<HHII", tag, 12, len(values), rest + len(more))
        more += struct.pack(f"<{len(values)}d", *values)
    entries[34735] = struct.pack("<HHII", 34735, 3, len(keys), rest + len(more))
    more += struct.pack(f"<{len(keys)}H", *keys)
    entries |= {tag: struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in short.items()}
    entries |= {tag: struct.pack("<HHII", tag, 4, 1, value) for tag, value in long.items()}
    data += struct.pack("<H", count) + b"".join(entries[tag] for tag in sorted(entries))
    data += bytes(4) + more
    open(path, "wb").write(data)
"""
HEIGHTS = (
    "[float(end(co[2] for co in (v.co for v in bpy.data.objects['srtm'].data.vertices))) for end "
    "in (min, max)]"
)


def an_elevation_model_is_dropped_and_the_dialog_says_what_it_makes(window):
    path = Path(window.folder.name) / "srtm.tif"
    window.ask(
        artist.IN_VIEWPORT + "[bpy.data.objects.remove(one) for one in list(bpy.data.objects)]"
    )
    window.ask(WRITE)
    window.ask(f"elevation_model({str(path)!r}, 200, 300)")
    window.over_viewport()
    window.ask("clock.restart()")
    window.ask(
        artist.IN_VIEWPORT
        + f"bpy.ops.erosion.heightmap_import('INVOKE_DEFAULT', filepath={str(path)!r})"
    )
    time.sleep(1.5)  # the dialog unfolds, and nothing tells when it is there
    window.picture("dialog")
    said = window.ask("clock.histogram()")
    window.key("RET")
    window.wait("the terrain", "'srtm' in bpy.data.objects")
    assert window.ask(HEIGHTS) == [1000.0, 1600.0]
    assert window.ask("list(bpy.data.objects['srtm'].dimensions)")[:2] == [8970.0, 5970.0]
    window.ask(first_click.SHARE)
    window.drawn()
    pictures = []
    for name in ("terrain", "without"):
        pictures.append(str(window.picture(name)))
        window.ask("bpy.data.objects['srtm'].hide_viewport = True")
        window.drawn()
    found = window.ask(
        f"float((np.abs(seen({pictures[0]!r}) - seen({pictures[1]!r})).max(2) > 0.02).mean())"
    )
    assert found > first_click.FILLS, f"the terrain takes {found:.1%} of the viewport"
    return f"{found:.0%} of the viewport; {said}"


def the_file_browser_shows_it_beside_the_files(window):
    path = Path(window.folder.name) / "srtm.tif"
    window.ask(artist.IN_VIEWPORT + "bpy.ops.erosion.heightmap_import('INVOKE_DEFAULT')")
    time.sleep(1.5)
    window.ask(CHOOSE.format(folder=str(path.parent).encode(), name=path.name))
    time.sleep(1.5)
    window.picture("file_browser")
    colors = Path(window.folder.name) / "colors.png"
    window.ask(PICTURE.format(path=str(colors)))
    window.ask(CHOOSE.format(folder=str(colors.parent).encode(), name=colors.name))
    window.wait("the picture", "session().terrain.unread is not None")
    time.sleep(1.5)
    window.picture("file_browser_colors")
    window.key("ESC")


CHOOSE = """
def browser():
    windows = bpy.context.window_manager.windows
    return next(area for window in windows for area in window.screen.areas
                if area.type == 'FILE_BROWSER')
params = browser().spaces.active.params
params.directory, params.filename = {folder!r}, {name!r}
browser().tag_redraw()
"""

SCENES = (
    an_elevation_model_is_dropped_and_the_dialog_says_what_it_makes,
    the_file_browser_shows_it_beside_the_files,
)
