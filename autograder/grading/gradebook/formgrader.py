"""Name that configurations of earlier versions import; see `autograder.grading.nbgrader_compat.formgrader`."""

from ..nbgrader_compat.formgrader import escape_page_values as escape_names

__all__ = ["escape_names"]
