"""The exercises of chapter 5, systolic arrays."""

from .cycles import CYCLES
from .faster import FASTER
from .padding import PADDING
from .peak import PEAK
from .step import STEP
from .tile import TILE
from .useful import USEFUL

EXERCISES = (STEP, TILE, CYCLES, PADDING, PEAK, USEFUL, FASTER)
