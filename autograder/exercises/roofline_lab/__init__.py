"""The graded exercises of lab 3: decoding on real chips."""

from .attention import ATTENTION
from .efficiency import EFFICIENCY
from .fits import FITS
from .own_chip import OWN_CHIP
from .rank import RANK
from .shortest_time import TIME
from .tokens import TOKENS

EXERCISES = (TIME, ATTENTION, FITS, TOKENS, RANK, EFFICIENCY, OWN_CHIP)
