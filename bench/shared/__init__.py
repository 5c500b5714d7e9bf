# SPDX-License-Identifier: GPL-3.0-or-later
"""What measurements share: terrain, C++ compiled and compared, rows of the table, tiles in turn."""
