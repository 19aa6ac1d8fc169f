"""The graded exercises of lab 8: the narrowest place of real machines."""

from .all_cuts import ALL_CUTS
from .convention import CONVENTION
from .fat_tree import FAT_TREE
from .narrowest import NARROWEST
from .racks import RACKS
from .slices import SLICES

EXERCISES = (NARROWEST, SLICES, CONVENTION, FAT_TREE, ALL_CUTS, RACKS)
