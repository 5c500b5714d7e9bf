# SPDX-License-Identifier: GPL-3.0-or-later
"""Node trees of shaders and geometry, built from tables."""
