# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames of a run in the scene: playback, and a kept state as the result."""
