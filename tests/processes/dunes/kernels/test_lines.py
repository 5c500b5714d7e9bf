# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind lines: they cover the grid, follow the wind, and go on beyond wrapped edges."""

import numpy as np
import pytest

from erosion_addon.processes.dunes.kernels import lines

SHAPES = (9, 13), (13, 9)
"""A wind along the short side crosses the other edge more than once on its way."""


def traced(rays, shape):
    """Cells of all lines, (lines, steps), and whether a line comes in over an edge there."""
    length, count = lines.extent(rays, shape)
    cells = np.empty((count, length), int)
    starts = np.empty((count, length), bool)
    path = lines.make_path(length)
    for number in range(count):
        lines.trace(rays, shape, number, path)
        cells[number] = path.cell
        starts[number] = path.start
        row, col = np.divmod(cells[number], shape[1])
        assert np.array_equal(
            path.ringed, np.ravel_multi_index((row + 1, col + 1), (shape[0] + 2, shape[1] + 2))
        )
    return cells, starts


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("degrees", [0.0, 37.0, 45.0, 80.0, 135.0, 200.0, -50.0])
def test_lines_cover_each_cell_once_and_lead_downwind(shape, degrees):
    wind = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    rays = lines.make_rays(*wind, 0.3)
    cells, starts = traced(rays, shape)
    assert np.array_equal(np.sort(cells, axis=None), np.arange(shape[0] * shape[1]))
    way = np.diff(np.divmod(cells, shape[1]), axis=-1)  # (2, lines, steps)
    over = np.abs(way) > 1
    assert starts[:, 0].all() and np.array_equal(over.any(axis=0), starts[:, 1:])
    way[over] = -np.sign(way[over])
    assert (np.abs(way).max(axis=0) == 1).all()
    row, col = np.cumsum(way, axis=-1)
    assert (row * wind[0] + col * wind[1] > 0.0).all()
    # no further from a straight line than a cell
    assert (np.abs(row * wind[1] - col * wind[0]) < 1.0).all()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("degrees", [37.0, 135.0, 200.0])
def test_beyond_a_wrapped_edge_the_line_that_follows_goes_on_however_far(shape, degrees):
    rays = lines.make_rays(np.sin(np.radians(degrees)), np.cos(np.radians(degrees)), 0.3)
    cells, _ = traced(rays, shape)
    count, length = cells.shape
    for number in range(count):
        line = number
        for step in range(4 * length):
            if step and step % length == 0:
                line = lines.following(line, rays, shape)
            assert lines.cell_of(rays, shape, number, step) == cells[line, step % length]
