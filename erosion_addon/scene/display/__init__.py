# SPDX-License-Identifier: GPL-3.0-or-later
"""What is shown on a terrain for a while in place of itself; the file stays as it is."""
