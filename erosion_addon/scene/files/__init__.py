# SPDX-License-Identifier: GPL-3.0-or-later
"""Images, pictures and folders of the user."""
