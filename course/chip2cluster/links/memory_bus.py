"""Memory buses: pins times rate, shared by reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive, whole
from .link import Link, build, data
from .lookup import label, row_key

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def memory_bandwidth(pins: ArrayLike, bit_rate_per_pin: ArrayLike) -> FloatOrArray:
    """Compute the peak bandwidth of a memory bus, ``pins * rate / 8``.

    Parameters
    ----------
    pins : int or array of int
        Number of data pins, the "bus width in bits".
    bit_rate_per_pin : float or array
        Rate of each pin, bits/s; twice the clock for double data rate.

    Returns
    -------
    float or array
        Peak bandwidth of reads and writes together, bytes/s.

    Notes
    -----
    Ignores refresh, DRAM bank conflicts and read-write turnaround: a good copy kernel
    reaches 85 to 93 % of it. Source: JEDEC.

    Examples
    --------
    >>> memory_bandwidth(5120, 2 * 1593e6) / 1e9            # A100 80 GB: 1593 MHz, two bits per clock
    2039.04
    """
    pins = whole("pins", pins)
    rate = positive("bit_rate_per_pin", bit_rate_per_pin)
    return plain(pins * rate / 8)


def hbm(generation: str, stacks: ArrayLike = 1, *, bit_rate_per_pin: float | None = None) -> Link:
    """Return the bus of stacks of high-bandwidth memory (HBM), from their pins and rate.

    Parameters
    ----------
    generation : str
        Generation HBM1, HBM2, HBM2e, HBM3, HBM3e or HBM4, in any case.
    stacks : int or array of int
        Number of stacks of the chip.
    bit_rate_per_pin : float, optional
        Rate of each pin, bits/s; by default the top rate of the generation. Chips run
        their stacks slower: an H100 has HBM3 at 5.2 of 6.4 Gb/s.

    Returns
    -------
    Link
        Bus whose ``bandwidth_one_way`` is that of all reads or all writes; the
        bidirectional bandwidth is the same, because the pins are shared.

    Notes
    -----
    Ignores what `memory_bandwidth` ignores. Source: JEDEC standards and vendors'
    datasheets.

    Examples
    --------
    >>> round(hbm("HBM3").bandwidth_one_way / 1e9, 1)
    819.2
    >>> round(hbm("HBM3", stacks=5, bit_rate_per_pin=2 * 2619e6).bandwidth_one_way / 1e9, 2)   # H100 SXM
    3352.32
    """
    key = row_key("generation", generation, "hbm")
    stacks = whole("stacks", stacks)
    rate = None if bit_rate_per_pin is None else positive("bit_rate_per_pin", bit_rate_per_pin)
    pins = stacks * data()["hbm"][key]["width"]
    return build("hbm", key, label(f"{key} x", stacks), pins, "pin", signal_rate=rate, full_duplex=False)
