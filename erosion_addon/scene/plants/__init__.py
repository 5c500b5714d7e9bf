# SPDX-License-Identifier: GPL-3.0-or-later
"""Plants and boulders scattered on a terrain: their forms, and where they stand."""
