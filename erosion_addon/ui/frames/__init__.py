# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run: settings, panel, playback."""
