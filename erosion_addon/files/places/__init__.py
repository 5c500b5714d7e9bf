# SPDX-License-Identifier: GPL-3.0-or-later
"""Places on Earth: coordinate reference systems, units, affine maps and projections."""
