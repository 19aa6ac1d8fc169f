"""The exercises of chapter 8, bisection."""

from .blame import BLAME
from .crossing import CROSSING
from .families import FAMILIES
from .grids import GRIDS
from .leaf_spine import LEAF_SPINE
from .one_way import ONE_WAY
from .placed import PLACED

EXERCISES = (FAMILIES, GRIDS, ONE_WAY, CROSSING, LEAF_SPINE, PLACED, BLAME)
