# SPDX-License-Identifier: GPL-3.0-or-later
"""The erosion brush as a tool."""
