# SPDX-License-Identifier: GPL-3.0-or-later
"""Run: the one generator that erodes, its progress, report, checkpoints and estimates."""
