"""The graded exercises of lab 9: auditing a training bill."""

from .average import AVERAGE
from .hardware import HARDWARE
from .offers import OFFERS
from .on_chip import ON_CHIP
from .scaling import SCALING
from .suspects import SUSPECTS

EXERCISES = (HARDWARE, ON_CHIP, SUSPECTS, SCALING, AVERAGE, OFFERS)
