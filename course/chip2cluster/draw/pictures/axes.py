"""The axes of a layout on the tiers of a network: who sends where, for how long, and what of it is seen.

Written as shapes alone, so a frame takes about a millisecond.
"""

from .. import style, typesetting
from ..palette import BLUES, GREY, HAIRLINE, MUTED, ORANGE
from ..picture import Picture, compose
from ..shapes import Line, Text
from ..words import amount, giga
from .waterfall import Bar

LEFT, RIGHT, TOP = 128, 452, 98  # px; rows are counted from the top
HEAD, ROW, BAR = 30, 34, 18  # px
HIDDEN = BLUES[1]


def axes(times, tiers, *, subtitle=""):
    """Draw each axis below the tier that it needs, with its seconds in a step: hidden, and exposed.

    Parameters
    ----------
    times : dict of str to parallelism.AxisTime
        As `parallelism.axis_times` gives them.
    tiers : sequence of parallelism.Tier
        From the innermost out.
    subtitle : str
        Whose axes they are, in a few words.

    Returns
    -------
    Picture
        Its title names the axis that costs most.

    Raises
    ------
    ValueError
        For an axis on a tier that is not there.

    Examples
    --------
    >>> from chip2cluster.parallelism import AxisTime, Tier
    >>> axes({"tensor": AxisTime("tensor", "node", 4e11, 0.9, 0.9)}, [Tier("node", 8, 450e9)]).title
    'Tensor costs most: 0.90 s of messages exposed'
    """
    names = [tier.name for tier in tiers]
    for one in times.values():
        if one.tier not in names:
            raise ValueError(f"tiers must hold {one.tier!r}, where axis {one.axis!r} lies, got {', '.join(map(repr, names))}")  # fmt: skip
    at = {tier.name: [one for one in times.values() if one.tier == tier.name and one.seconds > 0] for tier in tiers}
    rows = sum(map(len, at.values()))
    height = TOP + HEAD * len(names) + ROW * rows + 52
    title = finding(times)
    end = 1.02 * max((one.seconds for one in times.values()), default=0.0) or 1.0
    shapes = [
        Text(8, height - 20, title, size=style.TITLE, bold=True),
        Text(8, height - 43, subtitle, color=MUTED),
        *_legend(height),
        *_axis(end, height - TOP - HEAD * len(names) - ROW * rows, height),
        *_tiers(tiers, at, end, height),
    ]
    description = _describe(title, subtitle, tiers, at)

    def figure():
        whole = style.figure(style.WIDTH, height)
        for shape in shapes:
            shape.join(whole)
        return whole

    svg = compose("", shapes, title, description, style.WIDTH, height)
    return Picture(svg, title, description, style.WIDTH, height, figure)


def finding(times):
    """The axis that costs most."""
    worst = max(times.values(), key=lambda one: one.exposed_seconds, default=None)
    if worst is None or not worst.exposed_seconds:
        return "All messages are hidden behind the arithmetic"
    return f"{worst.axis.capitalize()} costs most: {_seconds(worst.exposed_seconds)} of messages exposed"


def _seconds(time):
    if not time:
        return "0 s"
    for scale, unit in ((1.0, "s"), (1e3, "ms")):
        if time * scale >= 0.1:
            return f"{time * scale:.2f} {unit}" if time * scale < 9.995 else f"{time * scale:,.1f} {unit}"
    return f"{time * 1e6:.3g} µs"


def _x(seconds, end):
    return LEFT + (RIGHT - LEFT) * seconds / end


def _tiers(tiers, at, end, height):
    y = height - TOP
    for tier in tiers:
        words = f"{tier.name}: {tier.devices:,} devices at {giga(tier.bandwidth_one_way)} GB/s one way"
        yield Text(8, y - HEAD / 2 - 2, words, bold=True)
        y -= HEAD
        for one in at[tier.name]:
            middle = y - ROW / 2
            yield Text(24, middle, one.axis)
            # What takes any time is seen.
            exposed = max(_x(one.exposed_seconds, end), LEFT + 1.5 * (one.exposed_seconds > 0))
            all_of_it = max(_x(one.seconds, end), exposed, LEFT + 1.5)
            if exposed > LEFT:
                yield Bar(LEFT, middle - BAR / 2, exposed - LEFT, BAR, ORANGE)
            if all_of_it - exposed > 1:
                yield Bar(exposed, middle - BAR / 2 + 4, all_of_it - exposed, BAR - 8, HIDDEN)
            yield Text(all_of_it + 7, middle, f"{amount(_round(one.bytes_sent_one_way_per_step))}, {_seconds(one.seconds)}")  # fmt: skip
            y -= ROW
        yield Line(((8, y), (style.WIDTH - 8, y)), HAIRLINE)


def _round(size):
    return float(f"{size:.3g}")


def _axis(end, floor, height):
    step = next(10.0**power * factor for power in range(-9, 6) for factor in (1, 2, 5) if end / (10.0**power * factor) <= 5)  # fmt: skip
    scale, unit = (1.0, "s") if end >= 1 else (1e3, "ms") if end >= 1e-3 else (1e6, "µs")
    for place in range(int(end / step) + 1):
        x = _x(place * step, end)
        yield Line(((x, floor), (x, floor - 4)), GREY)
        yield Text(x, floor - 14, f"{place * step * scale:,.4g}", align="center", color=MUTED)
    yield Text((LEFT + RIGHT) / 2, floor - 35, f"Messages of a step, one device ({unit})", align="center", color=MUTED)


def _legend(height):
    x, y = 8, height - 70
    for color, tall, words in ((ORANGE, 14, "exposed: the step waits"), (HIDDEN, 8, "hidden beside arithmetic")):
        yield Bar(x, y - tall / 2, 18, tall, color)
        yield Text(x + 24, y, words)
        x += 44 + typesetting.text_size(words, style.TEXT)[0]


def _describe(title, subtitle, tiers, at):
    told = [
        f"{one.axis} lies on the {tier.name} and sends {amount(_round(one.bytes_sent_one_way_per_step))} a device, "
        f"{_seconds(one.seconds)} of which {_seconds(one.exposed_seconds)} are exposed"
        for tier in tiers
        for one in at[tier.name]
    ]
    return f"{title}. {subtitle}. {'; '.join(told) or 'Nothing is sent'}."
