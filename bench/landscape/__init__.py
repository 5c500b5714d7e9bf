# SPDX-License-Identifier: GPL-3.0-or-later
"""Landscapes in tiles: cost by task, overhead, and what more workers would bring."""
