"""The exercises of chapter 7, collectives."""

from .busbw import BUSBW
from .chunks import CHUNKS
from .hierarchy import HIERARCHY
from .overlap import OVERLAP
from .ring import RING
from .ring_time import TIME
from .traffic import TRAFFIC

EXERCISES = (CHUNKS, RING, TRAFFIC, TIME, BUSBW, HIERARCHY, OVERLAP)
