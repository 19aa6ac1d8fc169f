"""The dates of a term as an iCalendar file, which calendars and learning platforms import."""

import re
from datetime import UTC, datetime, timedelta

from icalendar import Calendar, Event

from .week_texts import due_time, lab_name, lab_weight, plain, week_begins, week_sentences


def calendar(term, start, zone, book):
    """Return the weeks as days and the due times of labs as events, in the bytes of an .ics file.

    A week and a lab keep their identifier when dates change, so a second import moves events instead of doubling them.
    """
    made = Calendar()
    made.add("prodid", "-//Chip to Cluster//syllabus//EN")
    made.add("version", "2.0")
    name = re.sub(r"\W+", "-", term.name)
    for week in term.weeks:
        day = week_begins(week, start)
        made.add_component(
            _event(
                f"week-{week.number}-of-{name}",
                start,
                f"Week {week.number}: {week.title}",
                day,
                plain("\n".join(week_sentences(week, start, zone, book))),
            )
        )
        for work in week.work:
            due = due_time(week, start, zone).astimezone(UTC)
            made.add_component(
                _event(
                    f"{work.lab.folder}-{week.number}-of-{name}",
                    start,
                    f"{lab_name(work)} is due",
                    due,
                    lab_weight(work),
                )
            )
    return made.to_ical()


def _event(name, start, title, when, text):
    event = Event()
    event.add("uid", f"{name}@chip2cluster")
    event.add("dtstamp", datetime(start.year, start.month, start.day, tzinfo=UTC))
    event.add("summary", title)
    event.add("dtstart", when)
    event.add("dtend", when if isinstance(when, datetime) else when + timedelta(days=1))
    event.add("description", text)
    return event
