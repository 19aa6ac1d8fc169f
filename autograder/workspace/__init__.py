"""The learner's own copies of the notebooks: chapters in ``my_course/``, labs in ``my_labs/``; work in them is never lost."""

from .folders import Workspace, course_folder
from .start import CopyResult, CopyState, reset, start, update

__all__ = ["CopyResult", "CopyState", "Workspace", "course_folder", "reset", "start", "update"]
