# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of image files, checked before any pixel is unpacked."""
