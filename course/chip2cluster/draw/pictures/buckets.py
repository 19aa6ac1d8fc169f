"""Gradient buckets that are sent while the backward pass goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...collectives import exposed_time, sent_from
from .. import style
from ..heading import opening
from ..picture import Picture, two_widths
from .timeline import Span, timeline

if TYPE_CHECKING:
    from ..._typing import NDArray


@two_widths
def buckets(ready: NDArray[Any], durations: NDArray[Any], *, subtitle: str = "", width: int = style.WIDTH) -> Picture:
    """Draw when each bucket is computed, and when it is sent.

    Parameters
    ----------
    ready : array, shape (buckets,)
        When each bucket is ready, seconds, in order; the last is the end of the backward pass.
    durations : array, shape (buckets,)
        How long its all-reduce takes, seconds.
    subtitle : str
        Subject of the title, a few words.
    width : int
        Width of the picture: `style.WIDTH` or `style.NARROW`.

    Returns
    -------
    Picture
        Its title says how much of the exchange is left to be seen after the backward pass.

    Raises
    ------
    ValueError, TypeError
        Raised as by `collectives.exposed_time`.

    Examples
    --------
    >>> buckets([1.0, 2.0, 3.0], [2.0, 2.0, 2.0]).title
    '4.00 s of 6.00 s of messages stand out'
    """
    left, starts = exposed_time(ready, durations), sent_from(ready, durations)
    title = f"{left:.2f} s of {sum(durations):.2f} s of messages stand out"
    begins = [0.0, *list(ready)[:-1]]
    rows = {
        "arithmetic": [
            Span("works", float(start), float(end - start), str(place))
            for place, (start, end) in enumerate(zip(begins, ready, strict=True))
        ],
        "network": [
            Span("sends", float(start), float(seconds), str(place))
            for place, (start, seconds) in enumerate(zip(starts, durations, strict=True))
        ],
    }
    told = "; ".join(
        f"bucket {place} is ready at {end:.2f} s and sent from {start:.2f} s to {start + seconds:.2f} s"
        for place, (end, start, seconds) in enumerate(zip(ready, starts, durations, strict=True))
    )
    return timeline(
        rows, title=title, subtitle=subtitle, legend={"works": "backward pass", "sends": "all-reduce of a bucket"},
        mark=(float(np.max(ready)), f"{left:.2f} s stand out" if left > 0 else "the pass ends"), description=f"{opening(title, subtitle)} {told}.",
        width=width,
    )  # fmt: skip
