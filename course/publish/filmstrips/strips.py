"""Which controls of each explorer travel into the book: its own ``strip`` says so."""

from chip2cluster.explore.static_states import ALL, Strip

__all__ = ["ALL", "Strip", "strip_of"]


def strip_of(explorer):
    """The declaration of an explorer; a subclass shares that of its base."""
    if explorer.strip is None:
        kind = type(explorer)
        raise LookupError(f"no filmstrip is declared for {kind.__name__}; give it a `strip` in {kind.__module__}")
    return explorer.strip
