"""The exercises of chapter 2, accelerators."""

from .dense import DENSE
from .fleet import FLEET
from .lanes import LANES
from .peak import PEAK
from .pick import PICK
from .watts import WATTS

EXERCISES = (PEAK, LANES, DENSE, WATTS, FLEET, PICK)
