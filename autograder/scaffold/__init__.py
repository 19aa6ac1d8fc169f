"""Skeletons for authors: ``autograder new chapter|exercise|lab|assignment|explorer|picture NAME``.

`MARK` stands where the author must write, and the doctor refuses a file that contains it. Explorers and pictures work
at once, and their tests pass. No file is overwritten.
"""

from .explorers import write_explorer, write_picture
from .notebook import misplaced_cells
from .skeletons import (
    write_assignment,
    write_chapter,
    write_exercise,
    write_lab,
)
from .template import MARK, unfilled

WRITERS = {
    "chapter": write_chapter,
    "exercise": write_exercise,
    "lab": write_lab,
    "assignment": write_assignment,
    "explorer": write_explorer,
    "picture": write_picture,
}

__all__ = [
    "MARK",
    "WRITERS",
    "misplaced_cells",
    "unfilled",
    "write_assignment",
    "write_chapter",
    "write_exercise",
    "write_explorer",
    "write_lab",
    "write_picture",
]
