"""Parse and format times: as people write them, in any time zone, and as nbgrader stores them, in UTC without one."""

import re
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_WITH_ZONE = re.compile(r"(?P<time>.*\S)\s+(?P<zone>[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+)")
_DAY = re.compile(r"\d{4}-?\d\d-?\d\d(?:Z|\s+(?:UTC|[A-Za-z_]+(?:/[A-Za-z0-9_+-]+)+))?", re.ASCII)
# fromisoformat() also takes "23.59" for 23 hours, a week of the year, and every year from 1.
_ISO = re.compile(
    r"[12]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?"
    r"|[12]\d{7}(?:T\d{4}(?:\d\d)?Z?)?",
    re.ASCII,
)


def time_zone(name: str) -> ZoneInfo:
    """Return the time zone with a name such as ``Europe/Berlin``.

    Raises
    ------
    ValueError
        For any other name; ``CET`` and similar abbreviations do not hold all year.
    """
    try:
        if "/" in name or name == "UTC":
            return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        pass
    raise ValueError(f"no time zone is called {name!r}; write a place, as in Europe/Berlin or America/New_York, or UTC")


def parse_time(text: str, *, default: tzinfo = UTC) -> datetime:
    """Parse a time.

    Parameters
    ----------
    text : str
        A time such as ``2027-01-31 23:59 UTC``, ``2027-01-31 23:59 Europe/Berlin`` or ``2027-02-01T00:59:00+01:00``.
    default : tzinfo
        Time zone of a text that names none.

    Returns
    -------
    datetime
        The time in UTC, without a zone.

    Raises
    ------
    ValueError
        For any other text, such as ``01/02/2027`` or ``11:59 PM``, and for an hour that a clock shows twice or never.

    >>> parse_time("2027-01-31 23:59 America/New_York")
    datetime.datetime(2027, 2, 1, 4, 59)
    """
    if placed := _WITH_ZONE.fullmatch(text.strip()):
        text, default = placed["time"], time_zone(placed["zone"])
    # nbgrader's own parser takes 1/2 for a day in January, and drops PM, an offset after a space and CEST.
    iso = re.sub(r" (?=[+-])", "", text.strip().replace(" UTC", "Z"))
    if not _ISO.fullmatch(iso):
        raise ValueError(f"{text!r} is not a time")
    when = datetime.fromisoformat(iso)
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else utc_from_clock(when, default)


def named_zone(text: str) -> str:
    """Return the name of the place in a time that `parse_time` accepts; empty if it names none.

    >>> named_zone("2027-01-31 23:59 America/New_York")
    'America/New_York'
    """
    placed = _WITH_ZONE.fullmatch(text.strip())
    return placed["zone"] if placed else ""


def is_day(text: str) -> bool:
    """Return whether a text is a day without a time of day, with or without a zone.

    >>> is_day("2027-01-31"), is_day("2027-01-31 Europe/Berlin"), is_day("2027-01-31 23:59")
    (True, True, False)
    """
    return _DAY.fullmatch(text.strip()) is not None


def utc_from_clock(when: datetime, place: tzinfo) -> datetime:
    """Convert a local time to UTC, without a zone.

    Raises
    ------
    ValueError
        For an hour that a clock there shows twice or never, because summer time ends or begins.
    """
    first, second = (when.replace(tzinfo=place, fold=fold).astimezone(UTC).replace(tzinfo=None) for fold in (0, 1))
    if first != second:
        times = "twice" if first < second else "never"
        raise ValueError(f"a clock in {place} shows {when:%Y-%m-%d %H:%M} {times}; write the time in UTC")
    return first


def format_time(when: datetime) -> str:
    """Format a time as in the tables."""
    return f"{when:%Y-%m-%d %H:%M:%S} UTC" if when.second else f"{when:%Y-%m-%d %H:%M} UTC"
