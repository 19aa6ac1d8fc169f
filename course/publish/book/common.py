"""What nearly every page loads, for a process that runs many: imported and looked up once, before the first of them."""

import matplotlib.figure  # noqa: F401

from autograder.exercises import exercises
from chip2cluster import explore

exercises()
explore.explorers()
