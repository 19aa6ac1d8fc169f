"""What scripts, guides and fingers of version d7a7ae7a type is still accepted, and ends with the same exit codes."""

import re
import shlex
from unittest.mock import patch

import pytest

from tests.compatibility import interface
from tests.compatibility.places import DATA, ROOT, autograder, python, read
from tests.tables import every_row

OLD = read(DATA / "command_line.json")
GUIDES = [*read(DATA / "guide_commands.json")]


def _main(program):
    if program == "autograder":
        from autograder.__main__ import main
    else:
        from chip2cluster.shell import main
    return main


def _parser(program):
    # The help has all commands; a command alone has the parser of that one.
    return interface.parser_of(_main(program), ["start" if program == "autograder" else "--help"])


@every_row("program", [*OLD])
def test_commands_and_exit_codes_are_all_there(program):
    now = interface.commands(_parser(program))
    assert {*OLD[program]["commands"]} <= {*now["commands"]}
    assert {*OLD[program]["exit_codes"]} <= {*now["exit_codes"]}


@every_row("program, command", [(program, name) for program, one in OLD.items() for name in one["commands"]])
def test_options_take_what_they_took(program, command):
    old = OLD[program]["commands"][command]
    now = interface.commands(_parser(program))["commands"][command]
    for one in old:
        if not one["strings"]:
            continue
        (same,) = [other for other in now if {*one["strings"]} <= {*other["strings"]}]
        assert same.get("nargs") == one.get("nargs"), one["strings"]
        assert {*one.get("choices", [])} <= {*same.get("choices", one.get("choices", []))}, one["strings"]
    known = [one["strings"] for one in old if one.get("required")]
    new = [one["strings"] for one in now if one.get("required")]
    assert all(one in known for one in new), "an option has become required"
    places = [[one.get("nargs") for one in some if not one["strings"]] for some in (old, now)]
    assert places[0] == places[1], "the arguments without an option"
    for before, after in zip(*([one for one in some if not one["strings"]] for some in (old, now)), strict=True):
        assert {*before.get("choices", [])} <= {*after.get("choices", before.get("choices", []))}


@every_row("line", GUIDES)
def test_lines_of_the_guides_are_parsed(line):
    program, *words = shlex.split(line)
    _parser(program).parse_args(words)


def test_start_update_takes_pages_or_none():
    parse = _parser("autograder").parse_args
    assert parse(["start", "--update"]).update == []
    assert parse(["start", "--update", "03_roofline", "lab_03_roofline"]).update == ["03_roofline", "lab_03_roofline"]


def test_autograder_ends_with_0_1_and_2(course):
    assert autograder("hints", "--root", course).code == 0
    assert autograder("export", "03_roofline", "--to", course / "new.csv", "--root", course).code == 1
    assert autograder("export", "03_roofline", "--to", course / "new.csv", "--root", course).code == 2  # it exists
    assert autograder("grade", "99_nothing", "--root", course).code == 2
    assert autograder("nothing").code == 2


def test_autograder_ends_with_130_when_interrupted(course):
    with patch("pathlib.Path.read_text", side_effect=KeyboardInterrupt):
        assert autograder("hints", "--root", course).code == 130


def test_autograder_ends_with_3_without_a_sandbox():
    from autograder.sandbox import SandboxUnavailable

    with patch("pathlib.Path.read_text", side_effect=SandboxUnavailable("none")):
        assert autograder("hints", "--root", ROOT).code == 3


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('mfu --chip "H100 SXM" --chips 8 --parameters 7B --tokens-per-second 80e3', 0),
        ('kernel --chip "H100 SXM" --threads 256 --registers 80 --at-least 50%', 1),
        ("mfu --chip nothing --chips 8 --parameters 7B --tokens-per-second 80e3", 2),
        ("nothing", 2),
    ],
)
def test_chip2cluster_ends_with_0_1_and_2(line, code, capsys):
    assert _main("chip2cluster")(shlex.split(line)) == code


@pytest.mark.parametrize("module", ["autograder", "chip2cluster"])
def test_package_runs_as_a_module(module):
    done = python("-m", module, "--help", cwd=ROOT)
    assert done.code == 0 and done.out.startswith("usage: ")


@pytest.mark.prove
def test_syllabus_of_an_instructor_is_read():
    """``python -m course.teaching FILE`` prints a term of one's own; weeks that chapters outgrew are named, and exit is 1."""
    done = python("-m", "course.teaching", DATA / "my_term.toml", "--start", "2027-02-01", cwd=ROOT)
    assert "## Ours" in done.out and "2027" in done.out
    complaints = [line for line in done.err.splitlines() if line]
    assert done.code == bool(complaints), done.err
    assert all(
        re.fullmatch(r"Ours, week \d+: \d+ minutes .*, \d+ more than the \d+ there are", line) for line in complaints
    ), done.err
