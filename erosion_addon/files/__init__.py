# SPDX-License-Identifier: GPL-3.0-or-later
"""Files: heightmaps, maps and side files, in and out."""
