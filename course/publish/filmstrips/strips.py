"""Declaration of the controls that an explorer keeps in the book."""

from chip2cluster.explore.static_states import ALL, Strip

__all__ = ["ALL", "Strip", "strip_of"]


def strip_of(explorer):
    """Return the declaration of an explorer; a subclass inherits it."""
    if explorer.strip is None:
        kind = type(explorer)
        raise LookupError(f"no filmstrip is declared for {kind.__name__}; give it a `strip` in {kind.__module__}")
    return explorer.strip
