"""Name that configurations of earlier versions import; see `autograder.grading.reports.feedback_exporter`."""

from .feedback_exporter import FeedbackExporter

__all__ = ["FeedbackExporter"]
