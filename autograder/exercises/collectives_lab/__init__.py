"""The graded exercises of lab 7: two numbers for a network."""

from .buckets import BUCKETS
from .bus_column import BUS
from .fastest import FASTEST
from .fit import FIT
from .slowest import SLOWEST
from .worst_error import WORST

EXERCISES = (BUS, FIT, WORST, FASTEST, BUCKETS, SLOWEST)
