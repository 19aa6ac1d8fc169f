"""The graded exercises of lab 4: one kernel, thirteen multiprocessors."""

from .active import ACTIVE
from .best_launch import BEST_LAUNCH
from .largest_registers import LARGEST
from .loads import LOADS
from .run_time import RUN_TIME
from .waves import WAVES

EXERCISES = (ACTIVE, LARGEST, BEST_LAUNCH, WAVES, LOADS, RUN_TIME)
