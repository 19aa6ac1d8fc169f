"""Names that configurations of earlier versions import; see the modules `autograde` and `formgrader_preview`."""

from .formgrader_preview import Tame
from .preprocessors import Ask, Rebuild

__all__ = ["Ask", "Rebuild", "Tame"]
