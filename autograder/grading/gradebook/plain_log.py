"""Name that configurations of earlier versions import; see `autograder.grading.gradebook.log_formatter`."""

from .log_formatter import PrintableFormatter as PlainLines

__all__ = ["PlainLines"]
