"""The exercises of lab 2, auditing data sheets."""

from .audit import AUDIT
from .clock import CLOCK
from .growth import GROWTH
from .job import JOB
from .own_room import OWN_ROOM
from .rank import RANK
from .trusted import TRUSTED

EXERCISES = (CLOCK, AUDIT, TRUSTED, GROWTH, JOB, OWN_ROOM, RANK)
