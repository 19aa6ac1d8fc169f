"""Names that configurations of earlier versions import; see the modules `autograde` and `formgrader_preview`."""

from .autograde import Ask, Rebuild
from .formgrader_preview import Tame

__all__ = ["Ask", "Rebuild", "Tame"]
