# SPDX-License-Identifier: GPL-3.0-or-later
"""Weathering: rock turns to soil, and soil creeps."""
