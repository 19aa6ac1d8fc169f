"""The exercises of chapter 1, the machine."""

from .belongs import BELONGS
from .busy import BUSY
from .capacity import CAPACITY
from .cores import CORES
from .home import HOME
from .move import MOVE
from .waiting import WAITING

EXERCISES = (WAITING, CAPACITY, MOVE, HOME, BELONGS, CORES, BUSY)
