"""Names that configurations of earlier versions import; see `autograder.grading.gradebook.safe_release`."""

from .autograde import GradeExporter
from .safe_release import ReleaseExporter

__all__ = ["GradeExporter", "ReleaseExporter"]
