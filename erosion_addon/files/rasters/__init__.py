# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of rasters, as their files hold them, whichever program reads."""
