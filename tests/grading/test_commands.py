"""Commands of ``autograder``: a module each, help texts, earlier names, and imports at start-up."""

import subprocess
import sys
from pathlib import Path

import pytest

from autograder import __main__ as program
from autograder import commands
from autograder.parser import build_parser, command_module, parse
from tests.tables import every_row

ARGUMENTS = {
    "workspace": ["--update", "03_roofline"],
    "identify": ["ann", "--change"],
    "class-report": ["--to", "class.html"],
    "help-policy": ["off", "--labs", "links"],
    "written-question": ["03_roofline", "--add"],
    "hub-link": ["https://hub.example.edu", "https://git.example.edu/us/pages"],
    "generate-labs": ["03_roofline", "--check"],
}


def _help(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        program.main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_module_of_commands_is_a_command():
    files = {file.stem for file in Path(commands.__file__).parent.glob("*.py")} - {"__init__", "common"}
    assert files == {name.replace("-", "_") for name in commands.COMMANDS}
    assert len(commands.COMMANDS) == len(files)
    assert {*commands.EARLIER_NAMES.values()} == {*ARGUMENTS}


@every_row("name", commands.COMMANDS)
def test_command_help_shows_purpose_and_exit_codes(name, capsys):
    text = _help(capsys, name, "--help")
    module = command_module(name)
    assert text.startswith(f"usage: autograder {name}") and "exit codes:" in text
    assert " ".join(module.HELP.split()).lower() in " ".join(text.split()).lower()
    assert module.__doc__.startswith(f"``autograder {name}``")


@every_row("old, new", [*commands.EARLIER_NAMES.items()])
def test_earlier_name_means_the_same(old, new, capsys):
    assert parse([old, *ARGUMENTS[new]]) == parse([new, *ARGUMENTS[new]])
    assert parse([old, *ARGUMENTS[new]]).command == new
    text = _help(capsys, old, "--help")
    assert text == _help(capsys, new, "--help")
    assert f"autograder {old}`, which still works" in " ".join(text.split())


@every_row("name", ["workspace", "start"])
def test_earlier_name_runs_the_command(name, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr("autograder.commands.workspace.run", lambda options: seen.append(options.to) or 7)
    assert program.main([name, "--to", str(tmp_path)]) == 7 and seen == [tmp_path]


def test_help_lists_new_names_only(capsys):
    words = _help(capsys, "--help").split("exit codes:")[0].split()
    assert {*commands.COMMANDS} <= {*words}
    listed = [
        line.split()[0]
        for line in build_parser().format_help().splitlines()
        if line.startswith("    ") and line[4] != " "
    ]
    assert listed == [*commands.COMMANDS]


@every_row(
    "word, question",
    [
        ("grad", ", did you mean grade?"),
        ("labz", ", did you mean generate-labs?"),
        ("xyzzy", "; there are workspace, "),
    ],
)
def test_unknown_command_is_refused_with_the_nearest_name(word, question, capsys):
    with pytest.raises(SystemExit) as ended:
        program.main([word])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and f"no command is called {word!r}{question}" in said
    assert "hints" not in said.replace("[-h]", "")


def test_help_imports_neither_nbgrader_nor_pandas():
    heavy = ("nbgrader", "nbformat", "pandas", "matplotlib", "networkx", "sqlalchemy", "jupyter_client", "tqdm")
    code = (
        "import sys; from autograder.parser import build_parser; build_parser().format_help(); "
        f"print([name for name in {heavy} if name in sys.modules], 'autograder.sandbox' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0] == "[] False"


def test_instructor_command_without_nbgrader_names_the_extra(monkeypatch, capsys):
    monkeypatch.setattr(program, "find_spec", lambda name: None)
    assert program.main(["help-policy"]) == 2
    assert 'pip install "chip2cluster[grading]"' in capsys.readouterr().err
