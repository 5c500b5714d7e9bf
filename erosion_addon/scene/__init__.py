# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Blender's data and the model: meshes, attributes, images, materials and the running job."""
