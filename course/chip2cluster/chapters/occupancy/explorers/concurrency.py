"""Explorer of concurrency: measured bandwidth against occupancy, beside Little's law."""

from typing import Any

import numpy as np

from chip2cluster import draw
from chip2cluster import occupancy as model
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Frame, Table
from chip2cluster.explore.static_states import ALL, Strip

KERNELS = {"read": "one load of 8 bytes", "store": "one store of 8 bytes", "triad": "two loads and a store"}
SHARES = (0.1, 0.25, 0.5, 0.75, 1.0)
CLOSE = 0.05  # the law this near to the measurement lies on the first points


class Concurrency(Explorer):
    """Lay Little's law over what a memory delivered at rising occupancy.

    Move the latency until the line lies on the points; it will not do so everywhere.

    Parameters
    ----------
    gpu : str
        ``"GH200"``, ``"H100 PCIe"``, ``"A100 80 GB"``, ``"V100"`` or ``"L40"``.
    kernel : str
        Operation of each thread, once: ``"read"``, ``"store"`` or ``"triad"``.
    latency : int
        Nanoseconds that a thread's bytes are under way: 200 to 1,000 in steps of 25.

    Raises
    ------
    ValueError
        For an unknown control, or a value that it does not offer.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.concurrency("GH200", latency=575).table[-1]["a place was taken for (ns)"].__round__()
    779
    """

    title = "Concurrency and bandwidth"
    positional = ("gpu", "kernel", "latency")
    controls = (
        Choice(name="gpu", label="GPU", default="GH200", options=tuple(model.curves())),
        Choice(
            name="kernel", label="Each thread does", default="read", options=tuple(KERNELS), text=KERNELS.__getitem__
        ),
        Slider(name="latency", label="Latency in the law", default=350, unit="ns", options=tuple(range(200, 1001, 25))),
    )
    strip = Strip("latency", {"gpu": ALL, "kernel": ("read", "store")})

    def frame(self, values: dict[str, Any]) -> Frame:
        found, latency = model.curve(values["gpu"], values["kernel"]), 1e-9 * values["latency"]
        under_way = found.threads * found.bytes_per_thread
        law = np.asarray(model.bandwidth_from_concurrency(under_way, latency, found.sheet_bandwidth))
        rows = []
        for share in SHARES:
            at = int(np.abs(found.occupancy - share).argmin())
            rate, expected = float(found.bandwidth[at]), float(law[at])
            rows.append(
                (
                    100 * float(found.occupancy[at]), rate / 1e9, expected / 1e9, expected / rate,
                    1e9 * float(found.seconds_under_way[at]),
                )
            )  # fmt: skip
        columns = (
            Column("occupancy", "%", "{:.0f}".format),
            Column("measured", "GB/s", "{:,.0f}".format),
            Column("law", "GB/s", "{:,.0f}".format),
            Column("law over measured", "", "{:.2f}".format),
            Column("a place was taken for", "ns", "{:,.0f}".format),
        )
        shown = len(columns) if _found(rows) else len(columns) - 1  # who has not fitted the latency yet is not told
        subject = f"{found.gpu}, {KERNELS[found.kernel]} a thread"
        picture = draw.concurrency(found, latency, subtitle="Measured by gpu-stream")
        table = Table(subject, columns[:shown], tuple(row[:shown] for row in rows), marked=len(rows) - 1)
        return Frame(picture, table, _say(found, rows, values["latency"]))


def _found(rows):
    """Whether the line of the law lies on the first points."""
    return abs(rows[0][3] - 1) <= CLOSE


def _say(found, rows, latency):
    few, full = rows[0], rows[-1]
    share = 100 * full[1] * 1e9 / found.sheet_bandwidth
    times = f"A place was taken for {few[4]:,.0f} ns there and {full[4]:,.0f} ns here. " if _found(rows) else ""
    return (
        f"Little's law at {latency:,} ns gives {few[3]:.2f} times what was measured with {few[0]:.0f} % of the places "
        f"taken, and {full[3]:.2f} times with all of them. {times}Full occupancy reaches {share:.0f} % of the data sheet's "
        f"{found.sheet_bandwidth / 1e9:,.0f} GB/s."
    )
