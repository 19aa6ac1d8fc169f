"""Flow control as a queue: several senders, one port, a buffer, and an order to stop that takes its time.

Every sender runs at the rate of the port that they share, so the queue before it grows until
somebody learns of it. What differs is how: nobody is told (``"drop"``), the switch pauses the
senders (``"pause"``: Ethernet's PFC), it marks packets and the senders halve their rates
(``"mark"``: ECN), or a sender sends only what it has been granted room for (``"credits"``:
InfiniBand, PCIe, NVLink).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import choice, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

FLOW_CONTROLS = ("drop", "pause", "mark", "credits")
_STEPS = 16  # of a round trip
_RECOVERY = 0.05  # of the line rate that a sender adds in a round trip without marks


@dataclass(frozen=True)
class QueueRun:
    """A run of the queue: ``seconds`` and ``queue_bytes`` at each step, and what became of the bytes."""

    seconds: tuple[float, ...]
    queue_bytes: tuple[float, ...]
    delivered_bytes: float
    lost_bytes: float
    busy_share: float

    @property
    def fullest_bytes(self) -> float:
        """The longest that the queue became."""
        return max(self.queue_bytes)


def pause_headroom(senders: ArrayLike, line_rate: ArrayLike, round_trip: ArrayLike) -> FloatOrArray:
    """Bytes by which a queue still grows after the switch has asked its senders to stop.

    Parameters
    ----------
    senders : int or array of int
        Senders at full rate, all towards one port.
    line_rate : float or array
        Bytes/s of each sender and of the port.
    round_trip : float or array
        Seconds from the order to the last byte sent in spite of it.

    Returns
    -------
    float or array
        Bytes: ``(senders - 1) * line_rate * round_trip``; the port itself takes one
        sender's worth away meanwhile.

    Raises
    ------
    ValueError, TypeError
        For fewer than one sender, a rate or time that is not above zero.

    Notes
    -----
    Ignores the frame that is on its way when the order comes, and that real switches
    reserve the room for each sender's port. Source: IEEE 802.1Qbb.

    Examples
    --------
    >>> round(pause_headroom(8, 50e9, 2e-6) / 1e3)           # kB
    700
    """
    k = whole("senders", senders)
    return plain((k - 1) * positive("line_rate", line_rate) * positive("round_trip", round_trip))


def pause_threshold(
    buffer_bytes: ArrayLike, senders: ArrayLike, line_rate: ArrayLike, round_trip: ArrayLike
) -> FloatOrArray:
    """Longest queue at which a switch may order the pause and lose nothing.

    Parameters
    ----------
    buffer_bytes : float or array
        Room for the queue.
    senders, line_rate, round_trip
        As `pause_headroom`.

    Returns
    -------
    float or array
        Bytes: the buffer less the headroom.

    Raises
    ------
    ValueError, TypeError
        As `pause_headroom`, and for a buffer that no threshold can save, naming the
        smallest that has one.

    Notes
    -----
    As `pause_headroom`.

    Examples
    --------
    >>> round(pause_threshold(1.5e6, 8, 50e9, 2e-6) / 1e3)
    800
    """
    buffer_bytes = positive("buffer_bytes", buffer_bytes)
    headroom = pause_headroom(senders, line_rate, round_trip)
    threshold = buffer_bytes - headroom
    least = threshold if isinstance(threshold, float) else threshold.min(initial=0)
    if least < 0:
        raise ValueError(f"buffer_bytes must be at least the headroom of {headroom!r}, got {buffer_bytes!r}")
    return plain(threshold)


def credit_bandwidth(credit_bytes: ArrayLike, line_rate: ArrayLike, round_trip: ArrayLike) -> FloatOrArray:
    """What a sender gets that may have only so many bytes unanswered.

    Parameters
    ----------
    credit_bytes : float or array
        Room that the receiver has granted.
    line_rate : float or array
        Bytes/s of the wire.
    round_trip : float or array
        Seconds until a byte's room has been granted again.

    Returns
    -------
    float or array
        Bytes/s: ``min(line_rate, credit_bytes / round_trip)``.

    Raises
    ------
    ValueError, TypeError
        For values that are not above zero.

    Notes
    -----
    It never loses a byte. The full rate takes `half_bandwidth_message_size` of the round
    trip: a long cable needs a large buffer. Ignores packets. Source: Little's law.

    Examples
    --------
    >>> [round(credit_bandwidth(room, 50e9, 2e-6) / 1e9) for room in (25e3, 100e3, 1e6)]
    [12, 50, 50]
    """
    granted = positive("credit_bytes", credit_bytes) / positive("round_trip", round_trip)
    rate = positive("line_rate", line_rate)
    if isinstance(granted, float) and isinstance(rate, float):
        return min(rate, granted)
    import numpy as np  # for arrays alone

    return plain(np.minimum(rate, granted))


def queue_run(
    method: str,
    senders: int,
    line_rate: float,
    round_trip: float,
    buffer_bytes: float,
    threshold_bytes: float,
    duration: float,
) -> QueueRun:
    """Run a queue before one port, step by step.

    Parameters
    ----------
    method : str
        ``"drop"``, ``"pause"``, ``"mark"`` or ``"credits"``.
    senders : int
        All start at once, at ``line_rate``, and have no end of data.
    line_rate : float
        Bytes/s of each sender and of the port.
    round_trip : float
        Seconds until what the switch says shows in what arrives.
    buffer_bytes : float
        Room for the queue. What comes when it is full is lost.
    threshold_bytes : float
        Queue at which the switch pauses or marks, at most the buffer; a pause ends at half
        of it. ``"drop"`` and ``"credits"`` have no use for it.
    duration : float
        Seconds, at most 10,000 round trips.

    Returns
    -------
    QueueRun

    Raises
    ------
    ValueError, TypeError
        For another method, a threshold above the buffer, a duration too long, and numbers
        that make no sense.

    Notes
    -----
    A fluid in steps of a sixteenth of a round trip, the same each time. A marked sender
    halves its rate once in a round trip and adds a twentieth of the line's in one without
    marks: the shape of DCTCP and DCQCN, not their rules. Lost bytes are not sent again.

    Examples
    --------
    >>> runs = {at: queue_run("pause", 8, 50e9, 2e-6, 1.5e6, at, 100e-6) for at in (0.7e6, 1.2e6)}
    >>> [round(run.lost_bytes / 1e3) > 0 for run in runs.values()]
    [False, True]
    """
    choice("method", method, FLOW_CONTROLS)
    k = _one("senders", whole("senders", senders))
    rate, trip = (
        _one("line_rate", positive("line_rate", line_rate)),
        _one("round_trip", positive("round_trip", round_trip)),
    )
    room = _one("buffer_bytes", positive("buffer_bytes", buffer_bytes))
    limit = _one("threshold_bytes", positive("threshold_bytes", threshold_bytes))
    end = _one("duration", positive("duration", duration))
    if limit > room:
        raise ValueError(f"threshold_bytes must be at most the buffer of {room!r} bytes, got {threshold_bytes!r}")
    if end > 10_000 * trip:
        raise ValueError(f"duration must be at most 10,000 round trips of {trip!r} s, got {duration!r}")
    step, steps = trip / _STEPS, max(1, round(end / trip * _STEPS))
    asked = [1.0] * _STEPS  # share of the line rate that the senders will show, one entry a step
    freed = [0.0] * _STEPS  # bytes that had left by then
    queue = [0.0]
    arrived = delivered = lost = 0.0
    share, since = 1.0, _STEPS
    for number in range(steps):
        offered = k * rate * step * asked[number]
        if method == "credits":
            offered = min(offered, room + freed[number] - arrived)
        leaving = min(queue[-1] + offered, rate * step)
        length = queue[-1] + offered - leaving
        lost += max(0.0, length - room)
        queue.append(min(length, room))
        arrived, delivered = arrived + offered, delivered + leaving
        freed.append(delivered)
        since += 1
        if method == "pause":
            share = 0.0 if queue[-1] >= limit else 1.0 if queue[-1] <= limit / 2 else share
        elif method == "mark":
            if queue[-1] >= limit and since >= _STEPS:
                share, since = share / 2, 0
            elif since >= _STEPS:
                share, since = min(1.0, share + _RECOVERY), 0
        asked.append(share)
    return QueueRun(
        tuple(step * number for number in range(steps + 1)),
        tuple(queue),
        delivered,
        lost,
        delivered / (rate * step * steps),
    )


def _one(name: str, value: FloatOrArray | int) -> float:
    """A scalar, or an error."""
    if not isinstance(value, (int, float)):
        raise TypeError(f"{name} must be one number, got {value!r}")
    return value
