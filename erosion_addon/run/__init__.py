# SPDX-License-Identifier: GPL-3.0-or-later
"""Run: the simulation generator, progress, report, checkpoints and estimates."""
