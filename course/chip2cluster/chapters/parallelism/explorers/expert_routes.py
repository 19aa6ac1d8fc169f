"""Explorer of expert parallelism: copies of a token that cross the network, and the busiest node."""

from functools import lru_cache
from typing import Any

from chip2cluster import draw, parallelism
from chip2cluster.explore.base import Explorer
from chip2cluster.explore.controls import Choice, Slider
from chip2cluster.explore.frame import Column, Extent, Frame, Table
from chip2cluster.explore.handle import Handle
from chip2cluster.explore.static_states import ALL, Strip

TOKENS, EXPERTS, PICKED, NODES = 4096, 256, 8, 8  # DeepSeek-V3, on eight nodes
LIMITS = (1, 2, 3, 4, 5, 6, 8)
ACROSS = draw.Axis("Maximum nodes per token", 0.5, 8.5, (1, 2, 4, 6, 8), log=False)
UP = draw.Axis("Copies of a token over the network", 0, 8, (0, 2, 4, 6, 8), log=False)
COLUMNS = (
    Column("most nodes"),
    Column("a copy for each expert", "", "{:.2f}".format),
    Column("a copy for each node", "", "{:.2f}".format),
    Column("busiest node over mean", "", "{:.2f}".format),
)


@lru_cache(maxsize=64)
def _row(limit: int, skew: float) -> tuple[Any, ...]:
    routing = parallelism.route(TOKENS, EXPERTS, PICKED, skew=skew, groups=NODES, groups_per_token=limit, seed=1)
    each, once = (float(routing.sent(NODES, 1.0, once=once).sum()) / TOKENS for once in (False, True))
    return limit, each, once, routing.device_imbalance(NODES)


class ExpertRoutes(Explorer):
    """Limit the nodes of a token, and count what crosses the network.

    Parameters
    ----------
    limit : int
        Most nodes that the experts of a token may be in.
    **values
        Start values of the other control, ``skew``.

    Raises
    ------
    ValueError
        If a control is unknown or does not offer a value.

    Examples
    --------
    >>> from chip2cluster import explore
    >>> explore.expert_routes(4).table[3]["a copy for each node"] < 4
    True
    """

    title = "What experts send over the network"
    extent = Extent(letters=190)
    positional = ("limit",)
    controls = (
        Slider(name="limit", label="Maximum nodes per token", options=LIMITS, default=8),
        Choice(name="skew", label="Router skew", options=(0.0, 0.25, 0.5, 1.0), default=0.0),
    )
    strip = Strip("limit", {"skew": ALL})

    def frame(self, values: dict[str, Any]) -> Frame:
        chosen, skew = values["limit"], values["skew"]
        rows = tuple(_row(limit, skew) for limit in LIMITS)
        place = LIMITS.index(chosen)
        _, each, once, busiest = rows[place]
        title = f"{once:.1f} of {PICKED} copies of a token cross the network"
        subject = f"{PICKED} of {EXPERTS} experts on {NODES} nodes, {TOKENS:,} tokens drawn"
        points = [
            draw.Point(
                f"{row[2]:.1f} copies" if row[0] == chosen else "",
                "a copy for each node",
                row[0],
                row[2],
                row=f"{row[0]}",
            )
            for row in rows
        ]
        points += [draw.Point("", "a copy for each expert", row[0], row[1], row=f"{row[0]}") for row in rows]
        picture = draw.scatter(
            points, place, across=ACROSS, up=UP, groups=("a copy for each node", "a copy for each expert"), title=title, subtitle=subject,
            description=f"{title}. {subject}. With one copy per expert {each:.1f} cross; the busiest node has {busiest:.2f} times the mean load.",
        )  # fmt: skip
        say = (
            f"With at most {chosen} node{'s' * (chosen != 1)} per token, a token crosses the network {once:.2f} times "
            f"if each node gets one copy, and {each:.2f} times if each expert gets one. The busiest node has "
            f"{busiest:.2f} times the mean load."
        )
        handle = Handle("limit", tuple((row[0], row[2]) for row in rows))
        return Frame(
            picture,
            Table(f"skew {skew:g}, at most {chosen} node{'s' * (chosen != 1)} per token", COLUMNS, rows, marked=place),
            say,
            handles=(handle,),
        )
