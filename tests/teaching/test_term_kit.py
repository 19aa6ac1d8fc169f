"""The texts of a term: what a syllabus sets is in each of them, with dates that calendars and the grader read."""

import re
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from functools import cache
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest
from icalendar import Calendar

from autograder import exercise_headers
from autograder.commands import due
from autograder.grading.gradebook.timestamps import parse_time
from autograder.parser import parse
from course.teaching import syllabus_table, term_calendar, term_kit, week_texts
from tests.teaching.test_terms import NAMES, known

BOOK = "https://example.org/book/"
START = date(2027, 2, 1)


@cache
def kit(name, zone="Europe/Berlin"):
    return {
        file: content.decode() for file, content in term_kit.kit(known()[name], START, ZoneInfo(zone), BOOK).items()
    }


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.links += [value for name, value in attributes if name == "href"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", NAMES)
def test_syllabus_has_a_paragraph_for_each_week(name):
    paragraphs = kit(name)["syllabus.md"].split("\n\n")[1:-1]
    for week, paragraph in zip(known()[name].weeks, paragraphs, strict=True):
        headers = [exercise_headers.all_headers()[name] for name in (*week.together, *week.graduates)]
        assert "\n" not in paragraph.strip()
        assert {syllabus_table.exercise_number(one) for one in (*week.alone, *headers)} == set(
            re.findall(r"\d+\.\d+★?", paragraph)
        )
        assert all(f"Lab {work.lab.number}" in paragraph for work in week.work)


@pytest.mark.parametrize("name", NAMES)
def test_module_text_is_well_formed_and_links_to_the_book(name):
    files = [content for file, content in kit(name).items() if file.startswith("modules/")]
    assert len(files) == len(known()[name].weeks)
    for week, text in zip(known()[name].weeks, files, strict=True):
        tags = Tags()
        tags.feed(text)
        assert not tags.open and tags.links == [
            f"{BOOK}{one.chapter.file.replace('.ipynb', '.html')}" for one in week.read
        ]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland", "UTC"])
def test_labs_are_due_at_the_same_local_time_in_every_season(zone):
    term = known()["14 weeks"]
    events = Calendar.from_ical(term_calendar.calendar(term, START, ZoneInfo(zone), BOOK)).walk("VEVENT")
    dues = [event.decoded("dtstart") for event in events if "is due" in event["summary"]]
    assert len(dues) == sum(len(week.work) for week in term.weeks) and len(events) == len(dues) + len(term.weeks)
    local = [one.astimezone(ZoneInfo(zone)) for one in dues]
    assert {(one.hour, one.minute, one.weekday()) for one in local} == {(23, 59, (START.weekday() - 1) % 7)}


def test_calendar_keeps_identifiers_when_the_term_moves():
    def identifiers(start):
        made = term_calendar.calendar(known()["8 weeks"], start, ZoneInfo("UTC"), BOOK)
        return [str(event["uid"]) for event in Calendar.from_ical(made).walk("VEVENT")]

    assert identifiers(START) == identifiers(START + timedelta(days=7))
    assert len(set(identifiers(START))) == len(identifiers(START))


@pytest.mark.parametrize("name", NAMES)
def test_due_commands_are_read_as_meant(name):
    lines = kit(name, "America/New_York")["set_due_dates.sh"].splitlines()[1:]
    works = [(week, work) for week in known()[name].weeks for work in week.work]
    for (week, work), line in zip(works, lines, strict=True):
        options = parse([word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)][1:])
        when = week_texts.due_time(week, START, ZoneInfo("America/New_York")).astimezone(UTC)
        assert options.command == "due" and due.HELP and options.lab == work.lab.folder
        assert parse_time(options.time) == when.replace(tzinfo=None)


def test_announcement_names_tasks_points_and_due_time():
    text = kit("14 weeks")["announcements/week_02_lab_02_accelerators.md"]
    assert "due on 14 February 2027 at 23:59 (Europe/Berlin)" in text and "lab_02_accelerators.ipynb" in text
    points = [float(one) for one in re.findall(r"^\* Task \d+.*: (\d+) points", text, re.M)]
    assert sum(points) == 25 + 6 and text.count("marked by a person") == 1


def test_command_writes_the_kit_and_overwrites_nothing(tmp_path):
    def run(*more):
        command = [sys.executable, "-m", "course.teaching", "--kit", tmp_path / "kit", *more]
        return subprocess.run(command, capture_output=True, text=True)

    when = ["--start", "2027-02-01", "--zone", "Europe/Berlin", "--term", "8 weeks"]
    assert run(*when).returncode == 0
    file = tmp_path / "kit/syllabus.md"
    assert "from 1 February 2027" in file.read_text(encoding="utf-8")
    file.write_text("mine", encoding="utf-8")
    again, dateless, nameless = run(*when), run("--term", "8 weeks"), run(*when[:4])
    assert (again.returncode, dateless.returncode, nameless.returncode) == (2, 2, 2)
    assert "is not an empty folder" in again.stderr and file.read_text(encoding="utf-8") == "mine"
    assert "--start" in dateless.stderr
    command = [sys.executable, "-m", "course.teaching", "--term", "8 weeks"]
    kitless = subprocess.run(command, capture_output=True, text=True)
    assert kitless.returncode == 2 and "--zone and --term are for --kit" in kitless.stderr


def test_unknown_term_is_refused_with_the_choices(tmp_path):
    command = [sys.executable, "-m", "course.teaching", "--kit", tmp_path / "kit", "--start", "2027-02-01", "--zone"]
    told = subprocess.run([*command, "UTC", "--term", "9 weeks"], capture_output=True, text=True)
    assert told.returncode == 2 and "'14 weeks', '10 weeks', '8 weeks'" in told.stderr
    told = subprocess.run([*command, "CEST", "--term", "8 weeks"], capture_output=True, text=True)
    assert told.returncode == 2 and "--zone" in told.stderr


def test_calendar_dates_are_days_of_their_week():
    events = Calendar.from_ical(kit("10 weeks")["dates.ics"].encode()).walk("VEVENT")
    days = [event.decoded("dtstart") for event in events if str(event["summary"]).startswith("Week")]
    assert days == [START + timedelta(weeks=place) for place in range(10)] and not any(
        isinstance(day, datetime) for day in days
    )
