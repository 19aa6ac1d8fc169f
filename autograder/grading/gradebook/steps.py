"""Names that configurations of earlier versions import; see the modules `preprocessors` and `formgrader_preview`."""

from .formgrader_preview import SanitizeSubmission as Tame
from .preprocessors import Ask
from .preprocessors import RebuildSubmission as Rebuild

__all__ = ["Ask", "Rebuild", "Tame"]
