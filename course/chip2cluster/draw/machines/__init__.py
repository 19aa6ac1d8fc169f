"""Drawings of machines, from a die to a row of racks. A file has the function of its name.

Counts are exact. Areas and heights are to scale where the drawing says so; positions are schematic everywhere. The parts
come from the models and from ``data/machines.json``, which has a source for each.
"""

# The files of this folder that draw nothing themselves.
HELPERS = ("parts", "sheet")
