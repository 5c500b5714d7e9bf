# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole runs, by size, threads and step."""
