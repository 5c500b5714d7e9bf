# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames: states of a run, kept as numbered image files."""
