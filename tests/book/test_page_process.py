"""The process of a page: new for each, with what a notebook keeps of a cell, and its end is told."""

import os

import pytest

from course.publish.book.execute import environment
from course.publish.book.page_runner import CellError, Runner


@pytest.fixture(scope="module")
def runner():
    with Runner(environment(), limit=20) as runner:
        yield runner


def test_a_cell_shows_what_a_notebook_shows(runner, tmp_path):
    cells = [
        "import sys\nprint('one')\nprint('two')\nprint('three', file=sys.stderr)",
        "display('shown')\nprint('after')\n1 + 1",
        "_ + 1;",
        "pictures = __import__('IPython').display.Image(bytes(8), format='png')\npictures",
    ]
    first, second, third, picture = runner.run(cells, tmp_path, {})
    assert [(one["name"], one["text"]) for one in first] == [("stdout", "one\ntwo\n"), ("stderr", "three\n")]
    assert [one["output_type"] for one in second] == ["display_data", "stream", "execute_result"]
    assert second[0]["data"]["text/plain"] == "'shown'" and second[2]["data"] == {"text/plain": "2"}
    assert third == []
    assert picture[0]["data"]["image/png"] == "AAAAAAAAAAA="


def test_a_page_finds_nothing_of_the_page_before(runner, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    leave = "import os, json\nleft = json.left = 1\nopen('left', 'w').close()\nos.environ['LEFT'] = '1'\nos.getpid()"
    look = "import os, json\n[name for name in ('left', 'leave') if name in globals() or hasattr(json, name)]"
    *_, pid = runner.run([leave], here, {"OWN": "here"})
    *_, found, rest, other = runner.run(
        [look, "os.listdir(), 'LEFT' in os.environ, os.environ['OWN']", "os.getpid()"], there, {"OWN": "there"}
    )
    assert found[0]["data"]["text/plain"] == "[]"
    assert rest[0]["data"]["text/plain"] == "(['outputs.jsonl'], False, 'there')"
    if hasattr(os, "fork"):
        assert pid != other


@pytest.mark.parametrize(
    "bad, says", [("1 / 0", "ZeroDivisionError"), ("1 +", "SyntaxError"), ("import os; os._exit(3)", "process ended")]
)
def test_failing_cell_is_located_and_the_next_page_runs(runner, tmp_path, bad, says):
    with pytest.raises(CellError, match=says) as caught:
        runner.run(["1", bad, "2"], tmp_path, {})
    assert caught.value.place == 1
    assert runner.run(["2"], tmp_path, {})[0][0]["data"] == {"text/plain": "2"}


def test_a_cell_that_never_ends_is_ended(tmp_path):
    with Runner(environment(), limit=0.3) as runner, pytest.raises(CellError, match=r"longer than 0\.3 s") as caught:
        # The cell under test must outlive the limit.
        runner.run(["1", "import time; time.sleep(600)"], tmp_path, {})
    assert caught.value.place == 1
