"""Points in time as people write them, in whatever zone, and as nbgrader keeps them: in UTC, without one."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_WITH_PLACE = re.compile(r"(?P<time>.*\S)\s+(?P<zone>[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)")


def zone(name: str) -> ZoneInfo:
    """A time zone by its name, such as ``Europe/Berlin``.

    Raises
    ------
    ValueError
        For any other name; ``CET`` and its like are not the same all year.
    """
    try:
        if "/" in name or name == "UTC":
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise ValueError(f"no time zone is called {name!r}; write a place, as in Europe/Berlin or America/New_York, or UTC")


def moment(text: str, *, default: tzinfo = UTC) -> datetime:
    """Read a time.

    Parameters
    ----------
    text : str
        As ``2027-01-31 23:59 UTC``, ``2027-01-31 23:59 Europe/Berlin`` or ``2027-02-01T00:59:00+01:00``.
    default : tzinfo
        Holds where the text names no zone.

    Returns
    -------
    datetime
        In UTC, without a zone.

    Raises
    ------
    ValueError
        For anything else, such as ``01/02/2027`` or ``11:59 PM``, and for an hour that a clock
        shows twice or never.

    >>> moment("2027-01-31 23:59 America/New_York")
    datetime.datetime(2027, 2, 1, 4, 59)
    """
    if placed := _WITH_PLACE.fullmatch(text.strip()):
        text, default = placed["time"], zone(placed["zone"])
    # nbgrader's own reader takes 1/2 for a day in January, and drops PM, an offset after a space and CEST.
    when = datetime.fromisoformat(re.sub(r" (?=[+-])", "", text.strip().replace(" UTC", "Z")))
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else from_clock(when, default)


def from_clock(when: datetime, place: tzinfo) -> datetime:
    """What a clock on a wall showed, in UTC.

    Raises
    ------
    ValueError
        For an hour that it shows twice or never, when summer time ends or begins.
    """
    first, second = (when.replace(tzinfo=place, fold=fold).astimezone(UTC).replace(tzinfo=None) for fold in (0, 1))
    if first != second:
        often = "twice" if first < second else "never"
        raise ValueError(f"a clock in {place} shows {when:%Y-%m-%d %H:%M} {often}; write the time in UTC")
    return first


def written(when: datetime) -> str:
    """Write a time as the tables have it."""
    return f"{when:%Y-%m-%d %H:%M:%S} UTC" if when.second else f"{when:%Y-%m-%d %H:%M} UTC"
