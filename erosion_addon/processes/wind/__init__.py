# SPDX-License-Identifier: GPL-3.0-or-later
"""Wind: sand that hops and creeps, in streams of particles or a boundary layer."""
