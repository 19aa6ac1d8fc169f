"""Skeletons of what authors write: ``autograder new chapter|exercise|lab NAME``.

Everything is in its place and honest about being empty: where a person must write stands
`MARK`, and the doctor refuses a file as long as it says so. No file is overwritten.
"""

from .skeletons import chapter, exercise, lab
from .template import MARK, unfilled

KINDS = {"chapter": chapter, "exercise": exercise, "lab": lab}

__all__ = ["KINDS", "MARK", "chapter", "exercise", "lab", "unfilled"]
