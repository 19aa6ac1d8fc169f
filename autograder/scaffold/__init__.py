"""Skeletons of what authors write: ``autograder new chapter|exercise|lab|assignment NAME``.

Everything is in its place and honest about being empty: where a person must write stands
`MARK`, and the doctor refuses a file as long as it says so. No file is overwritten.
"""

from .notebook import misplaced_cells
from .skeletons import assignment, chapter, exercise, lab
from .template import MARK, unfilled

KINDS = {"chapter": chapter, "exercise": exercise, "lab": lab, "assignment": assignment}

__all__ = ["KINDS", "MARK", "assignment", "chapter", "exercise", "lab", "misplaced_cells", "unfilled"]
