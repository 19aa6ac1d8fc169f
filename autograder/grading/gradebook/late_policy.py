"""Late policy of a lab, as ``autograder late`` stores it: points per day, grace period and late days."""

import math
import re
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from ...atomic_write import write_text
from .timestamps import format_time, parse_time, time_zone

DAY = timedelta(days=1)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|min|m|h|hours?|d|days?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class LatePolicy:
    """Cost of late work in one lab.

    Attributes
    ----------
    per_day : float
        Share of the points that each day begun costs, 0 to 1.
    grace_seconds : float
        Time after the due date that costs nothing.
    late_days : int
        Days that a student may be late at no cost, in all labs with late days together.
    timezone : str
        Zone of the clock by which days end, such as ``"Europe/Berlin"``.
    """

    per_day: float = 0.0
    grace_seconds: float = 0.0
    late_days: int = 0
    timezone: str = "UTC"

    def days_late(self, received: datetime, due: datetime) -> int:
        """Return the number of days begun after the due date and the grace period.

        Parameters
        ----------
        received, due : datetime
            Times in UTC without a zone; ``due`` includes an extension.

        Examples
        --------
        >>> policy = LatePolicy(0.1, grace_seconds=900, timezone="Europe/Berlin")
        >>> policy.days_late(datetime(2027, 1, 31, 23, 10), datetime(2027, 1, 31, 22, 59))
        0
        >>> policy.days_late(datetime(2027, 2, 2, 10, 0), datetime(2027, 1, 31, 22, 59))
        2
        """
        if received <= due + timedelta(seconds=self.grace_seconds):
            return 0
        late = received - due - timedelta(seconds=self.grace_seconds)
        days = max(1, math.ceil(late / DAY))
        # A day never ends before the same time on the next day's clock, which is 25 hours away when summer time ends.
        while days > 1 and received <= self._end_of_day(due, days - 1):
            days -= 1
        return days

    def _end_of_day(self, due: datetime, days: int) -> datetime:
        """Return the time in UTC at which a number of days after the due date and the grace period is over."""
        zone = time_zone(self.timezone)
        same_clock = _clock(due, zone) + days * DAY
        last = same_clock.replace(tzinfo=zone, fold=1).astimezone(UTC).replace(tzinfo=None)
        return max(last, due + days * DAY) + timedelta(seconds=self.grace_seconds)

    def penalty(self, score: float, days: int) -> float:
        """Return the points that ``days`` days cost, at least 0 and at most the score."""
        return min(max(score, 0.0), max(score, 0.0) * self.per_day * days)

    def sentence(self) -> str:
        """Return the policy in words."""
        parts = [f"{100 * self.per_day:.6g} % of the points earned for each day begun"]
        if self.grace_seconds:
            parts.append(f"{format_duration(timedelta(seconds=self.grace_seconds))} of grace")
        if self.late_days:
            parts.append(f"{self.late_days} late days for all labs together")
        return ", ".join(parts)


def _clock(when: datetime, zone: ZoneInfo) -> datetime:
    """Return the local time; the second pass of an hour that a clock shows twice counts as its end."""
    local = when.replace(tzinfo=UTC).astimezone(zone)
    # Otherwise a due date in the second pass would have an earlier last day than one in the first pass.
    while local.fold:
        when = when.replace(second=0, microsecond=0) + timedelta(minutes=1)
        local = when.replace(tzinfo=UTC).astimezone(zone)
    return local.replace(tzinfo=None)


@dataclass(frozen=True)
class LabDates:
    """Settings of a lab's dates, stored in ``autograder/work/dates/LAB.toml``.

    Attributes
    ----------
    policy : LatePolicy or None
        Late policy of the lab; None if the plug-in of ``nbgrader_config.py`` decides.
    timezone : str
        Zone named in the last ``autograder due``.
    first_due : datetime or None
        Due date at the first grading with late days. It fixes the order of the labs: an extension cannot change it.
    """

    policy: LatePolicy | None = None
    timezone: str = ""
    first_due: datetime | None = None


def lab_dates_file(root: str | Path, lab: str) -> Path:
    """Path of the settings of a lab's dates, existing or not."""
    return Path(root) / "autograder" / "work" / "dates" / f"{lab}.toml"


def load_lab_dates(root: str | Path, lab: str) -> LabDates:
    """Load the settings of a lab's dates.

    Raises
    ------
    ValueError
        If the file cannot be read; the message names it.
    """
    file = lab_dates_file(root, lab)
    if not file.is_file():
        return LabDates()
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        zone, first = data.pop("timezone", ""), data.pop("first_due", "")
        if zone:
            time_zone(zone)
        policy = _policy(data, zone) if data else None
        return LabDates(policy, zone, parse_time(first) if first else None)
    except (ValueError, TypeError, AttributeError) as problem:
        raise ValueError(f"{file} cannot be read ({problem}): set it again with `autograder late {lab}`") from None


def save_lab_dates(root: str | Path, lab: str, dates: LabDates) -> None:
    """Store the settings of a lab's dates; the file is removed if nothing is set."""
    file = lab_dates_file(root, lab)
    lines = [f'timezone = "{dates.timezone}"'] if dates.timezone else []
    if dates.first_due:
        lines.append(f'first_due = "{format_time(dates.first_due)}"')
    if dates.policy:
        lines += [f"{name} = {value!r}" for name, value in asdict(dates.policy).items() if name != "timezone"]
    if not lines:
        file.unlink(missing_ok=True)
        return
    write_text(file, "\n".join(lines) + "\n")


def _policy(data: dict[str, Any], zone: str) -> LatePolicy:
    names = {field.name for field in fields(LatePolicy)} - {"timezone"}
    if unknown := sorted(data.keys() - names):
        raise ValueError(f"unknown key {unknown[0]!r}; there are {', '.join(sorted(names))}")
    if odd := [name for name, value in data.items() if isinstance(value, bool) or not isinstance(value, int | float)]:
        raise ValueError(f"{odd[0]} is not a number")
    policy = LatePolicy(**data, timezone=zone or "UTC")
    if not 0 <= policy.per_day <= 1:
        raise ValueError(f"per_day is a share from 0 to 1, not {policy.per_day:g}")
    if not (
        0 <= policy.grace_seconds < math.inf and policy.late_days >= 0 and policy.late_days == int(policy.late_days)
    ):
        raise ValueError("grace_seconds and late_days cannot be negative, and late_days is a whole number")
    return policy


def parse_percent(text: str) -> float:
    """Parse a percentage, such as ``10%``, to a share.

    Raises
    ------
    ValueError
        For any other text, and below 0 % or above 100 %.

    >>> parse_percent("10%")
    0.1
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text.strip())
    if not found or (share := Fraction(found[1]) / 100) > 1:
        raise ValueError(f"{text!r} is not a percentage from 0% to 100%; write it as 10%")
    return float(share)


def parse_duration(text: str) -> timedelta:
    """Parse a duration, such as ``15min``, ``1h`` or ``2 days``.

    Raises
    ------
    ValueError
        For any other text, such as a number without a unit.

    >>> parse_duration("15min").total_seconds()
    900.0
    """
    found = _DURATION.fullmatch(text.strip().lower())
    if not found:
        raise ValueError(f"{text!r} is not a duration; write it as 15min, 1h or 1d")
    return timedelta(seconds=float(Fraction(found[1]) * _SECONDS[found[2][0]]))


def format_duration(duration: timedelta) -> str:
    """Format a duration in days, hours and minutes, rounded up to a whole minute.

    >>> format_duration(timedelta(days=1, hours=12))
    '1 d 12 h'
    """
    minutes = math.ceil(duration / timedelta(minutes=1))
    days, hours = minutes // 1440, minutes // 60 % 24
    parts = [(days, "d"), (hours, "h"), (minutes % 60, "min")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 min"


def spend_late_days(late: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Distribute one student's late days over the labs, in order of due date.

    Parameters
    ----------
    late : iterable of (int, int)
        Late days that the lab's policy grants and days that the student was late, for each lab in order.

    Returns
    -------
    list of (int, int)
        Late days used and late days left after each lab.

    Examples
    --------
    >>> spend_late_days([(3, 2), (3, 0), (3, 4)])
    [(2, 1), (0, 1), (1, 0)]
    """
    spent, days = [], 0
    for granted, needed in late:
        used = min(max(granted - days, 0), needed)
        days += used
        spent.append((used, max(granted - days, 0)))
    return spent
