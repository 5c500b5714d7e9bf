# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a landscape: manifest, tiles, pyramid."""
