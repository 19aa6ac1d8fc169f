"""Imports that nearly every page needs, loaded once by a process that runs many pages."""

import matplotlib.figure  # noqa: F401

from autograder.exercises import exercises
from chip2cluster import explore

exercises()
explore.explorers()
