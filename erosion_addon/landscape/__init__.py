# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscapes larger than memory: a folder of tiles, eroded tile by tile on one machine or many."""
