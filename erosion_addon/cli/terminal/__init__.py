# SPDX-License-Identifier: GPL-3.0-or-later
"""The process on its terminal: text, progress, termination signals."""
