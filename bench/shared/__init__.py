# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared parts of the benchmarks: terrain, compiled C++ references, rows of the table, tiles."""
