"""The exercises of chapter 4, occupancy."""

from .best_block import BEST_BLOCK
from .branch import BRANCH
from .element import ELEMENT
from .launch import LAUNCH
from .registers import LIMIT
from .share import SHARE
from .shared_memory import SHARED_MEMORY
from .tail import TAIL
from .warps import WARPS

EXERCISES = (ELEMENT, LAUNCH, BRANCH, LIMIT, SHARED_MEMORY, SHARE, BEST_BLOCK, WARPS, TAIL)
