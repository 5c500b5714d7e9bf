# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled loops of dunes: sand that hops along lines of the wind, and the ground's mean around each cell."""
