# SPDX-License-Identifier: GPL-3.0-or-later
"""Erosion processes, a folder each: parameters, step and kernels together."""
