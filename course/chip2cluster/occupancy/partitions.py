"""Partition modes of AMD chips with several dies: one device, or several."""

from __future__ import annotations

from dataclasses import dataclass

from .._validate import choice, known

_DIES = {"MI300A": 6, "MI300X": 8, "MI325X": 8, "MI350X": 8, "MI355X": 8}  # XCDs, the dies with compute units
COMPUTE_MODES = {"SPX": 1, "DPX": 2, "TPX": 3, "QPX": 4, "CPX": None}  # devices; CPX: as many as dies
MEMORY_MODES = {"NPS1": 1, "NPS2": 2, "NPS4": 4}  # NUMA domains


@dataclass(frozen=True)
class Partition:
    """Chip in one of its partition modes; see `partition`.

    Attributes
    ----------
    chip : str
        Product name.
    compute_mode, memory_mode : str
        Partition modes.
    devices : int
        Number of devices.
    compute_units : int
        Number of compute units of a device, which determines the waves of workgroups.
    memory_domains : int
        Number of NUMA domains.
    memory_bytes : float
        Memory of a domain, bytes.
    """

    chip: str
    compute_mode: str
    memory_mode: str
    devices: int
    compute_units: int
    memory_domains: int
    memory_bytes: float


def partition(chip: str, compute_mode: str = "SPX", memory_mode: str = "NPS1") -> Partition:
    """Return the devices and memory domains of an AMD chip in a partition mode.

    The limits of a compute unit do not change, but the number of compute units that one
    launch uses and the locality of its memory do.

    Parameters
    ----------
    chip : str
        Product ``"MI300A"``, ``"MI300X"``, ``"MI325X"``, ``"MI350X"`` or ``"MI355X"``.
    compute_mode : str
        ``"SPX"``: one device (the default). ``"CPX"``: one device for each compute die
        (XCD). ``"DPX"``, ``"TPX"``, ``"QPX"``: two, three or four devices, if the dies divide.
    memory_mode : str
        ``"NPS1"``: addresses are interleaved over all stacks of memory. ``"NPS2"``,
        ``"NPS4"``: over the stacks of a half or a quarter, for its devices.

    Returns
    -------
    Partition
        Devices, compute units and memory domains.

    Raises
    ------
    ValueError
        If a mode does not divide the dies or the devices evenly.

    Notes
    -----
    A driver supports only some of the pairs of modes that divide evenly. Source: AMD, GPU partitioning
    of the MI300 series (instinct.docs.amd.com), 2025.

    Examples
    --------
    >>> part = partition("MI300X", "CPX", "NPS4")
    >>> part.devices, part.compute_units, part.memory_domains, part.memory_bytes
    (8, 38, 4, 48000000000.0)
    """
    from .. import specs  # the catalogue is loaded only if needed

    dies = _DIES[choice("chip", chip, tuple(_DIES))]
    devices = COMPUTE_MODES[choice("compute_mode", compute_mode, tuple(COMPUTE_MODES))] or dies
    domains = MEMORY_MODES[choice("memory_mode", memory_mode, tuple(MEMORY_MODES))]
    if dies % devices:
        fits = ", ".join(repr(mode) for mode, count in COMPUTE_MODES.items() if dies % (count or dies) == 0)
        raise ValueError(
            f"compute_mode of an {chip} with {dies} compute dies must be one of {fits}, got {compute_mode!r}"
        )
    if devices % domains:
        fits = ", ".join(repr(mode) for mode, count in MEMORY_MODES.items() if devices % count == 0)
        plural = "" if devices == 1 else "s"
        raise ValueError(f"memory_mode of {devices} device{plural} must be one of {fits}, got {memory_mode!r}")
    record = specs.accelerator(chip)
    units = known(f"compute_units of {chip}", record.compute_units)
    return Partition(
        chip,
        compute_mode,
        memory_mode,
        devices,
        units // devices,
        domains,
        record.memory_bytes / domains,
    )
