"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``."""

from .base import Explorer
from .bisection import Bisection
from .roofline import Roofline

__all__ = ["Bisection", "Explorer", "Roofline", "bisection", "roofline"]


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


def bisection(topology="leaf-spine", **values):
    """Wire a network, see its narrowest halving, and time an all-to-all through its cuts.

    Parameters
    ----------
    topology : str
        ``"leaf-spine"``, ``"fat-tree"``, ``"plain tree"``, ``"path"``, ``"ring"``, ``"mesh"``, ``"torus"``,
        ``"3-D torus"``, ``"hypercube"``, ``"full mesh"`` or ``"dragonfly"``.
    **values
        Start values of the other controls: ``size`` (such as ``"5 × 5"``), ``oversubscription``,
        ``link`` (GB/s one way), ``message`` (GB).

    Returns
    -------
    Bisection
        Show it as the last line of a cell; as `roofline`, it has ``.set``, ``.table``,
        ``.sentence`` and ``.alt``.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.bisection("torus", size="5 x 5").table[-1]["links"]
    12
    """
    return Bisection(topology=topology, **values)
