"""A memory bus: pins times rate, shared by reads and writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import plain, positive, whole
from .link import Link, build, data
from .names import label, row_key

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray


def memory_bandwidth(pins: ArrayLike, bit_rate_per_pin: ArrayLike) -> FloatOrArray:
    """Peak bandwidth of a memory bus, ``pins * rate / 8``.

    Parameters
    ----------
    pins : int or array of int
        Data pins, the "bus width in bits".
    bit_rate_per_pin : float or array
        Bits/s on each pin; twice the clock for double data rate.

    Returns
    -------
    float or array
        Bytes/s, reads and writes together.

    Raises
    ------
    ValueError, TypeError
        For a fractional or non-positive number of pins, a rate that is not above zero.

    Notes
    -----
    Ignores refresh, bank conflicts and turning the bus round: 85 to 93 % of it is
    what a good copy kernel sees. Source: JEDEC.

    Examples
    --------
    >>> memory_bandwidth(5120, 2 * 1593e6) / 1e9            # A100 80 GB: 1593 MHz, two bits a clock
    2039.04
    """
    pins = whole("pins", pins)
    rate = positive("bit_rate_per_pin", bit_rate_per_pin)
    return plain(pins * rate / 8)


def hbm(generation: str, stacks: ArrayLike = 1, *, bit_rate_per_pin: float | None = None) -> Link:
    """Stacks of high-bandwidth memory, from their pins and rate.

    Parameters
    ----------
    generation : str
        HBM1, HBM2, HBM2e, HBM3, HBM3e or HBM4; case is ignored.
    stacks : int or array of int
        Stacks beside the chip.
    bit_rate_per_pin : float, optional
        Bits/s; without it the top rate of the generation. Chips run their stacks
        slower: an H100 has HBM3 at 5.2 of 6.4 Gb/s.

    Returns
    -------
    Link
        ``bandwidth_one_way`` is all reads or all writes; both ways are the same
        number, since the pins are shared.

    Raises
    ------
    ValueError, TypeError
        For an unknown generation, a number of stacks below 1, a rate not above zero.

    Notes
    -----
    As `memory_bandwidth`. Source: JEDEC standards and makers' data sheets.

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
