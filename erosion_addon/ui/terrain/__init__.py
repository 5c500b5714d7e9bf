# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding, importing and mending terrains."""
