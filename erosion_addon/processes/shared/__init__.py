# SPDX-License-Identifier: GPL-3.0-or-later
"""What processes share: the state of a run, particles on tiles, bands of rows, coarse steps."""
