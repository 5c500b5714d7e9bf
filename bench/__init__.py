# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmarks of speed and memory, in the same folders as what they measure."""
