# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions of plain arrays: resampling, distances, holes, spectra."""
