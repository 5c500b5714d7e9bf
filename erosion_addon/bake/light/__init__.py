# SPDX-License-Identifier: GPL-3.0-or-later
"""Light: sky, suns and shadows, baked onto a terrain, and its shaded relief."""
