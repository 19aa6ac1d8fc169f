"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``."""

from .base import Explorer
from .roofline import Roofline
from .systolic import Systolic

__all__ = ["Explorer", "Roofline", "Systolic", "roofline", "systolic"]


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


def systolic(rows_of_a=4, **values):
    """Step through a small systolic array, cycle by cycle, with its utilisation beside it.

    Parameters
    ----------
    rows_of_a : int
        Rows that stream through the array, 1 to 16.
    **values
        Start values of the other controls: ``weights`` (a pair such as ``(5, 4)``),
        ``cycle``, ``side``, ``dataflow``, ``overlap``.

    Returns
    -------
    Systolic
        Show it as the last line of a cell. ``.set(cycle=9)`` moves it from code,
        ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.systolic(rows_of_a=16, cycle=12)
    >>> view.table[1]["cycles"], round(view.table[1]["utilisation (%)"])
    (26, 62)
    """
    return Systolic(rows_of_a=rows_of_a, **values)
