# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of plain arrays: resampling, distance, hole filling, Fourier transforms."""
