# SPDX-License-Identifier: GPL-3.0-or-later
"""What is computed once of finished land: light and shade, and meshes of several details."""
