"""The exercises of chapter 6, links."""

from .best_pairs import BEST_PAIRS
from .connection import CONNECTION
from .crossing import CROSSING
from .effective import EFFECTIVE
from .half_size import HALF_SIZE
from .one_way import ONE_WAY
from .pcie import PCIE
from .supports import SUPPORTS

EXERCISES = (EFFECTIVE, HALF_SIZE, PCIE, ONE_WAY, CROSSING, SUPPORTS, CONNECTION, BEST_PAIRS)
