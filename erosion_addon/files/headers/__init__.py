# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of image files, read before anything is unpacked."""
