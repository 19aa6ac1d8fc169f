"""Cost of device-hours and of tokens at a price per hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._validate import fraction, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

HOUR = 3600.0


def dollars(
    devices: ArrayLike, seconds: ArrayLike, dollars_per_device_hour: ArrayLike, *, used_fraction: ArrayLike = 1.0
) -> FloatOrArray:
    """Cost of devices for a time, owned or rented.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    seconds : float or array
        Working time, seconds.
    dollars_per_device_hour : float or array
        Price of a paid device-hour, dollars.
    used_fraction : float or array
        Fraction of the paid hours in which the devices work, above 0 and at most 1: below 1 for a take-or-pay
        (reserved) contract, which bills idle hours, too.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Ignores storage, network traffic and staff. Source: the definition.

    Examples
    --------
    >>> dollars(2048, 2788000 / 2048 * 3600, 2.0)            # DeepSeek-V3, final run only
    5576000.0
    """
    time = whole("devices", devices) * positive("seconds", seconds) / HOUR
    price = positive("dollars_per_device_hour", dollars_per_device_hour)
    return plain(time * price / fraction("used_fraction", used_fraction))


def dollars_per_million_tokens(
    devices: ArrayLike,
    dollars_per_device_hour: ArrayLike,
    tokens_per_second: ArrayLike,
    *,
    used_fraction: ArrayLike = 1.0,
) -> FloatOrArray:
    """Cost of a million tokens.

    Parameters
    ----------
    devices : int or array of int
        Number of devices.
    dollars_per_device_hour : float or array
        Price of a paid device-hour, dollars.
    tokens_per_second : float or array
        Throughput of all devices together while they work, tokens/s; state which tokens are counted.
    used_fraction : float or array
        Fraction of the paid hours in which the devices work, same as in `dollars`.

    Returns
    -------
    float or array
        Dollars.

    Notes
    -----
    Source: the definition.

    Examples
    --------
    >>> round(dollars_per_million_tokens(8, 2.0, 14800), 3)             # a decode node of DeepSeek
    0.3
    """
    rate = positive("tokens_per_second", tokens_per_second)
    return plain(1e6 / rate * dollars(devices, 1.0, dollars_per_device_hour, used_fraction=used_fraction))
