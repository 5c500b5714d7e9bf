# SPDX-License-Identifier: GPL-3.0-or-later
"""The example of a landscape on a cluster, which `make landscape` runs in large."""

import sys

import pytest

from erosion_addon.files.headers.image_header import read_header
from examples import landscape as example

pytestmark = pytest.mark.slow


@pytest.mark.thorough
def test_the_example_loses_a_worker_and_leaves_equal_hashes_and_pictures(
    tmp_path, monkeypatch, capsys
):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(example, "OUT", tmp_path)
    monkeypatch.setattr(example, "AT_WORK", 0.05)
    monkeypatch.setattr(
        sys, "argv", ["landscape.py", "--cells", "128", "--tile", "64", "--coarse", "64"]
    )
    with pytest.raises(SystemExit) as end:
        example.main()
    told = capsys.readouterr().out
    assert (
        not end.value.code
        and "killing worker" in told
        and "The hashes of all tiles are equal." in told
    )
    for name in ("whole.png", "corner.png"):
        header = read_header(tmp_path / name)
        assert (header.rows, header.cols) == (128, 128)
