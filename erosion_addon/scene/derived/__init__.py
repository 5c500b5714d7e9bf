# SPDX-License-Identifier: GPL-3.0-or-later
"""Derived from a finished terrain: light, maps, levels of detail, surrounding land, and their update."""
