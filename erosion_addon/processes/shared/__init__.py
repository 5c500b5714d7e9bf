# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by processes: state of a run, particles on tiles, coarse steps."""
