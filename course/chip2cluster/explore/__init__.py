"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``."""

from .base import Explorer
from .links import Links
from .mfu import Utilization
from .roofline import Roofline

__all__ = ["Explorer", "Links", "Roofline", "Utilization", "links", "mfu", "roofline"]


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


def links(node="DGX H100", **values):
    """Send a message over NVLink, PCIe and InfiniBand, and see what it gets of each.

    Parameters
    ----------
    node : str
        ``"DGX A100"``, ``"DGX H100"`` or ``"DGX B200"``.
    **values
        Start values of the other controls: ``link``, ``message`` (bytes: 100, 200, 500, 1000 and so on to 10**9),
        ``bandwidth`` and ``latency`` (factors on the followed link).

    Returns
    -------
    Links
        Show it as the last line of a cell. ``.set(message=1_000_000)`` moves it from code,
        ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.links("DGX H100", link="NVLink", message=5000)
    >>> view.table[0]["share (%)"].__round__(2)
    1.82
    """
    return Links(node=node, **values)


def mfu(recompute="selective", **values):
    """Split the step of a published training into arithmetic and reasons to wait.

    Parameters
    ----------
    recompute : {"none", "selective", "full"}
        What the backward pass computes again to save memory.
    **values
        Start values of the other controls: ``micro_batches``, ``communication``,
        ``hidden``, ``kernels``, ``stages``, ``chunks``, ``loader``.

    Returns
    -------
    Utilization
        Show it as the last line of a cell. ``.set(micro_batches=70)`` moves it from
        code, ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.mfu(micro_batches=280)
    >>> view.table[0]["share (%)"].__round__(1)
    54.2
    """
    return Utilization(recompute=recompute, **values)
