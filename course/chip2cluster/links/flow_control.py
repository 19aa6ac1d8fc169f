"""Flow control of several senders to one port: a queue with a delayed control signal.

Every sender sends at the rate of the port that they share, so the queue in front of it
grows until the senders react. Methods: packets are dropped (``"drop"``); the switch pauses
the senders (``"pause"``: priority flow control, PFC, of Ethernet); it marks packets and
the senders halve their rates (``"mark"``: explicit congestion notification, ECN); or a
sender sends only as much as the receiver has granted buffer for (``"credits"``:
InfiniBand, PCIe, NVLink).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import choice, one_positive, one_whole, plain, positive, whole

if TYPE_CHECKING:
    from .._typing import ArrayLike, FloatOrArray

FLOW_CONTROLS = ("drop", "pause", "mark", "credits")
_STEPS = 16  # simulation steps per round trip
_RECOVERY = 0.05  # fraction of the line rate that a sender adds in a round trip without marks


@dataclass(frozen=True)
class QueueRun:
    """Result of a queue simulation.

    Attributes
    ----------
    seconds : tuple of float
        Time of each step, seconds.
    queue_bytes : tuple of float
        Length of the queue at each step, bytes.
    delivered_bytes : float
        Bytes that the port has sent.
    lost_bytes : float
        Bytes dropped because the buffer was full.
    busy_share : float
        Fraction of the time in which the port was busy.
    """

    seconds: tuple[float, ...]
    queue_bytes: tuple[float, ...]
    delivered_bytes: float
    lost_bytes: float
    busy_share: float

    @property
    def fullest_bytes(self) -> float:
        """Largest length of the queue, bytes."""
        return max(self.queue_bytes)


def pause_headroom(senders: ArrayLike, line_rate: ArrayLike, round_trip: ArrayLike) -> FloatOrArray:
    """Compute the PFC headroom: bytes by which a queue grows after the switch has sent the pause.

    Parameters
    ----------
    senders : int or array of int
        Number of senders at full rate to one port (incast).
    line_rate : float or array
        Rate of each sender and of the port, bytes/s.
    round_trip : float or array
        Time from sending the pause to the arrival of the last byte sent before it took
        effect, seconds.

    Returns
    -------
    float or array
        Headroom, ``(senders - 1) * line_rate * round_trip``, bytes; the port meanwhile
        sends the bytes of one sender.

    Notes
    -----
    Ignores the frame in transmission when the pause arrives, and that real switches
    reserve headroom for each sender's port. Source: IEEE 802.1Qbb.

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
    """Compute the longest queue at which a switch must send the pause (PFC) to lose nothing.

    Parameters
    ----------
    buffer_bytes : float or array
        Buffer for the queue, bytes.
    senders : int or array of int
        Number of senders at full rate to one port (incast).
    line_rate : float or array
        Rate of each sender and of the port, bytes/s.
    round_trip : float or array
        Time from sending the pause to the arrival of the last byte sent before it took
        effect, seconds.

    Returns
    -------
    float or array
        Threshold, buffer minus headroom, bytes.

    Raises
    ------
    ValueError
        If the buffer is too small for any threshold; the message names the smallest that has one.

    Notes
    -----
    Ignores what `pause_headroom` ignores.

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
    """Compute the bandwidth of a sender under credit-based flow control.

    Parameters
    ----------
    credit_bytes : float or array
        Buffer that the receiver has granted, bytes.
    line_rate : float or array
        Rate of the link, bytes/s.
    round_trip : float or array
        Time until a byte's credit has been returned, seconds.

    Returns
    -------
    float or array
        Bandwidth, ``min(line_rate, credit_bytes / round_trip)``, bytes/s.

    Notes
    -----
    Lossless. The full rate needs credits for the `half_bandwidth_message_size` of the
    round trip: a long cable needs a large buffer. Ignores packets. Source: Little's law.

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
    """Simulate the queue in front of one port under a flow-control method.

    Parameters
    ----------
    method : str
        ``"drop"``, ``"pause"`` (PFC), ``"mark"`` (ECN) or ``"credits"``.
    senders : int
        Number of senders, which start at once at ``line_rate`` with unlimited data (incast).
    line_rate : float
        Rate of each sender and of the port, bytes/s.
    round_trip : float
        Time until a signal of the switch affects the arriving traffic, seconds.
    buffer_bytes : float
        Buffer for the queue, bytes. Bytes that arrive when it is full are lost.
    threshold_bytes : float
        Length of the queue at which the switch pauses or marks, at most the buffer, bytes;
        a pause ends at half of it. Not used by ``"drop"`` and ``"credits"``.
    duration : float
        Simulated time, at most 10,000 round trips, seconds.

    Returns
    -------
    QueueRun
        Queue over time, and the bytes delivered and lost.

    Raises
    ------
    ValueError
        If the threshold exceeds the buffer or the simulation would be too long.

    Notes
    -----
    A deterministic fluid model in steps of a sixteenth of a round trip. A marked sender
    halves its rate once per round trip, and adds a twentieth of the line rate in a round
    trip without marks: similar to DCTCP and DCQCN, but not their exact rules. Lost bytes
    are not retransmitted. Ignores other ports, and so head-of-line blocking: a pause (PFC)
    also stops flows to ports that are not congested.

    Examples
    --------
    >>> runs = {at: queue_run("pause", 8, 50e9, 2e-6, 1.5e6, at, 100e-6) for at in (0.7e6, 1.2e6)}
    >>> [round(run.lost_bytes / 1e3) > 0 for run in runs.values()]
    [False, True]
    """
    choice("method", method, FLOW_CONTROLS)
    k = one_whole("senders", senders)
    rate, trip = one_positive("line_rate", line_rate), one_positive("round_trip", round_trip)
    buffer = one_positive("buffer_bytes", buffer_bytes)
    limit = one_positive("threshold_bytes", threshold_bytes)
    end = one_positive("duration", duration)
    if limit > buffer:
        raise ValueError(f"threshold_bytes must be at most the buffer of {buffer!r} bytes, got {threshold_bytes!r}")
    if end > 10_000 * trip:
        raise ValueError(f"duration must be at most 10,000 round trips of {trip!r} s, got {duration!r}")
    step, steps = trip / _STEPS, max(1, round(end / trip * _STEPS))
    send_rates = [1.0] * _STEPS  # senders' rate as a fraction of the line rate, one entry per step, a round trip ahead
    returned = [0.0] * _STEPS  # bytes whose credit has been returned, one entry per step, a round trip ahead
    queue = [0.0]
    arrived = delivered = lost = 0.0
    fraction, since = 1.0, _STEPS
    for number in range(steps):
        offered = k * rate * step * send_rates[number]
        if method == "credits":
            offered = min(offered, buffer + returned[number] - arrived)
        leaving = min(queue[-1] + offered, rate * step)
        length = queue[-1] + offered - leaving
        lost += max(0.0, length - buffer)
        queue.append(min(length, buffer))
        arrived, delivered = arrived + offered, delivered + leaving
        returned.append(delivered)
        since += 1
        if method == "pause":
            fraction = 0.0 if queue[-1] >= limit else 1.0 if queue[-1] <= limit / 2 else fraction
        elif method == "mark":
            if queue[-1] >= limit and since >= _STEPS:
                fraction, since = fraction / 2, 0
            elif since >= _STEPS:
                fraction, since = min(1.0, fraction + _RECOVERY), 0
        send_rates.append(fraction)
    return QueueRun(
        tuple(step * number for number in range(steps + 1)),
        tuple(queue),
        delivered,
        lost,
        delivered / (rate * step * steps),
    )
