"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``."""

from .base import Explorer
from .collectives import Collectives
from .ring import Ring
from .roofline import Roofline

__all__ = ["Collectives", "Explorer", "Ring", "Roofline", "collectives", "ring", "roofline"]


def roofline(device="A100 SXM 80GB", **values):
    """Move operations of a transformer along the roof of a real accelerator.

    Parameters
    ----------
    device : str
        Any unambiguous name of an accelerator in `chip2cluster.specs`.
    **values
        Start values of the other controls: ``precision``, ``batch``, ``compare``,
        ``width``, ``context``, ``group``, ``element_bytes``.

    Returns
    -------
    Roofline
        Show it as the last line of a cell. ``.set(batch=64)`` moves it from code,
        ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    specs.UnknownAccelerator
        For a device that is not in the catalogue.
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.roofline("A100 SXM 80GB", batch=64)
    >>> view.table[0]["intensity (FLOP/byte)"].__round__(2)
    63.38
    """
    return Roofline(device=device, **values)


def ring(way="all-reduce by ring", **values):
    """Step through a collective and see who sends what to whom, and what everybody holds.

    Parameters
    ----------
    way : str
        ``"all-reduce by ring"``, ``"all-reduce by tree"``, ``"broadcast by tree"``, ...
    **values
        Start values of the other controls: ``ranks`` (2 to 6), ``step``.

    Returns
    -------
    Ring
        As `roofline`: ``.set(step=3)``, ``.table``, ``.sentence``, ``.alt``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.ring(ranks=4, step=3).table[0]["then holds (chunks 0 to 3)"]
    '1000 1111 1011 1001'
    """
    return Ring(way=way, **values)


def collectives(collective="all_reduce", **values):
    """Compare the algorithms of a collective for every size of message.

    Parameters
    ----------
    collective : str
        As in `chip2cluster.collectives.time`.
    **values
        Start values of the other controls: ``ranks``, ``message`` (bytes), ``link``,
        ``latency`` (µs), ``adding``.

    Returns
    -------
    Collectives
        As `roofline`: ``.set(ranks=512)``, ``.table``, ``.sentence``, ``.alt``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.collectives(ranks=8, message=10**6).table[0]["algorithm"]
    'recursive doubling'
    """
    return Collectives(collective=collective, **values)
