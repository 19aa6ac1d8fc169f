"""The learner's own copies of the pages: chapters in ``my_course/``, labs in ``my_labs/``; work in them is never lost."""

from .folders import Course, course_folder
from .start import Done, State, reset, start, update

__all__ = ["Course", "Done", "State", "course_folder", "reset", "start", "update"]
