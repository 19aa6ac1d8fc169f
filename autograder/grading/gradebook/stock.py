"""Name that configurations of earlier versions import; see `autograder.grading.gradebook.autograde`."""

from .autograde import install_course_autograde as take_over

__all__ = ["take_over"]
