# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in somebody's file that lie in a network."""

import pytest

from erosion_addon.base.regular_files import is_blend_path_in_network, is_in_network
from tests.network_paths import IN_NETWORK


@pytest.mark.parametrize("path", IN_NETWORK)
def test_a_path_that_names_a_machine_is_in_a_network_whichever_way_its_slashes_lean(path):
    assert is_in_network(path)
    assert is_blend_path_in_network(f"//{path}"), "a whole path behind the two slashes of Blender"
    assert is_blend_path_in_network(path) == (not path.startswith("//"))


@pytest.mark.parametrize(
    "path", ["/home/artist/land", "C:\\land", "C:/land", "land/x.png", "..\\x.png", ""]
)
def test_a_path_on_this_machine_is_not(path):
    assert not is_in_network(path) and not is_blend_path_in_network(path)
