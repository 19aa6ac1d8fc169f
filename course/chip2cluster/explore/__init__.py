"""Interactive views on models. Each is one line in a notebook: ``explore.roofline()``.

A view loads when it is first asked for, and with it the models and libraries that it needs.
"""

from .._lazy import lazy


def machine(system="DGX H100", **values):
    """Climb down the memory ladder of a machine and see what some bytes take from each tier.

    Parameters
    ----------
    system : str
        Any name in `chip2cluster.hierarchy.systems`, such as ``"DGX A100"`` or ``"TPU v5p"``.
    **values
        Start values of the other controls: ``message`` (bytes: 1, 2, 5, 10 and so on to 10**12,
        16e9 and 140e9), ``axis`` ("bandwidth" or "time").

    Returns
    -------
    Machine
        As `roofline`: ``.set(message=10**9)``, ``.table``, ``.sentence``, ``.alt``.

    Raises
    ------
    ValueError
        For an unknown system or control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> view = explore.machine("DGX H100", message=16_000_000_000)
    >>> [(row["tier"], round(row["time"], 3)) for row in view.table if row["tier"] in ("HBM", "host memory")]
    [('HBM', 0.005), ('host memory', 0.254)]
    """
    from .machine import Machine

    return Machine(system=system, **values)


def accelerators(chip="H100 SXM", **values):
    """Compare every accelerator's peak with its memory bandwidth, its power or its year.

    Parameters
    ----------
    chip : str
        The one to follow: any unambiguous name of an accelerator in `chip2cluster.specs`.
    **values
        Start values of the other controls: ``precision``, ``across``, ``count``, ``until``, ``every``.

    Returns
    -------
    Accelerators
        Show it as the last line of a cell. ``.set(precision="fp8")`` moves it from code,
        ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    specs.UnknownAccelerator
        For a chip that is not in the catalogue.
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.accelerators("MI300X").table[7]["peak (TFLOP/s)"]
    1307.4
    """
    from .accelerators import Accelerators

    return Accelerators(chip=chip, **values)


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
    from .roofline import Roofline

    return Roofline(device=device, **values)


def occupancy(threads=256, registers=72, shared=0, **values):
    """Fill one NVIDIA multiprocessor with blocks and see what stops the next one.

    Parameters
    ----------
    threads : int
        Threads a block, a multiple of 32 up to 1,024.
    registers : int
        Registers a thread: a multiple of 8 from 16 to 248, or 255.
    shared : int
        Shared memory a block, KiB; one of the values that the control offers.
    **values
        Start value of the other control, ``capability``: a compute capability
        such as ``"9.0"``.

    Returns
    -------
    Occupancy
        Show it as the last line of a cell. ``.set(threads=512)`` moves it from code,
        ``.table``, ``.sentence`` and ``.alt`` read what it shows.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.occupancy(threads=512).sentence[:49]
    '1 block lives on the multiprocessor: 16 of 64 war'
    """
    from .occupancy import Occupancy

    return Occupancy(threads=threads, registers=registers, shared=shared, **values)


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
    from .links import Links

    return Links(node=node, **values)


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
    from .ring import Ring

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
    from .collectives import Collectives

    return Collectives(collective=collective, **values)


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
    from .bisection import Bisection

    return Bisection(topology=topology, **values)


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
    from .mfu import Utilization

    return Utilization(recompute=recompute, **values)


def systolic(rows_of_a=4, **values):
    """Step through a small systolic array, cycle by cycle, with its utilization beside it.

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
    >>> view.table[1]["cycles"], round(view.table[1]["utilization (%)"])
    (26, 62)
    """
    from .systolic import Systolic

    return Systolic(rows_of_a=rows_of_a, **values)


lazy(
    __name__,
    {
        "accelerators": "Accelerators",
        "base": "Explorer",
        "bisection": "Bisection",
        "collectives": "Collectives",
        "links": "Links",
        "machine": "Machine",
        "mfu": "Utilization",
        "occupancy": "Occupancy",
        "ring": "Ring",
        "roofline": "Roofline",
        "systolic": "Systolic",
    },
    own=(
        "accelerators",
        "bisection",
        "collectives",
        "links",
        "machine",
        "mfu",
        "occupancy",
        "ring",
        "roofline",
        "systolic",
    ),
)
