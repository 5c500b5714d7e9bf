# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed and memory, in the folders of what is measured."""
