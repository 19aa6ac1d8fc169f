"""Unwritten functions are recognized, and never replace a written one."""

import time

import pytest

from autograder.grading.intake.stub_detection import keep_earlier_definitions, unwritten_functions
from autograder.grading.notebook_run import NotebookCode, checks_to_repeat

EMPTY = [
    "def f(x):\n    raise NotImplementedError",
    "def f(x):\n    '''Doc.'''\n    # remark\n    raise NotImplementedError('write me')  # later\n",
    'def f(\n    x,\n    y: int = 3,\n) -> float:\n    """Two\n\n    lines."""\n\n    pass',
    "def f(x): ...",
    "def f(x): raise NotImplementedError()",
    "async def f(x):\n\traise NotImplementedError",
    "a = 1\n\n\ndef f(x):\n    pass\n\nb = 2",
]
WRITTEN = [
    "def f(x):\n    return 'written'",
    "def f(x):\n    return 'written'\n    raise NotImplementedError",
    "def f(x):\n    if x:\n        raise NotImplementedError\n    return 'written'",
    "def f(x): return 'written'",
    "def f(x):\n    pass\n\n\ndef f(x):\n    return 'written'",
    "def f(x):\n    '''Half of it.'''",
    "class f:\n    pass",
]


@pytest.mark.parametrize("source", EMPTY)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_an_empty_function_yields_to_one_that_is_there(source, end):
    source = source.replace("\n", end)
    assert unwritten_functions(source) == {"f"}
    space = {"f": lambda: "written"}
    exec(keep_earlier_definitions(source, {"f"}), space)
    assert space["f"]() == "written"
    alone = {"f": 3}
    exec(keep_earlier_definitions(source, {"f"}), alone)
    assert callable(alone["f"])
    assert keep_earlier_definitions(source, {"g"}) == source


@pytest.mark.parametrize("line", ["x", "pass x", "# x", "..."])
def test_a_line_of_many_blanks_takes_no_time(line):
    blanks = " " * 200_000
    began = time.process_time()
    unwritten_functions(f"def f(x):\n{blanks}{line}{blanks}\n    return 'written'{blanks}x")
    checks_to_repeat(
        [NotebookCode("def f(x): return x", False), NotebookCode(f"{blanks}{line}\n" * 5, False)], {0: "f"}
    )
    assert time.process_time() - began < 2


@pytest.mark.parametrize("source", WRITTEN)
def test_a_written_function_takes_the_place_of_what_was_there(source):
    assert unwritten_functions(source) == set()
    space = {"f": None}
    exec(keep_earlier_definitions(source, {"f"}), space)
    assert space["f"] is not None


@pytest.mark.parametrize(
    "above, below, again",
    [
        ("def f(x): return g(x)", "def g(x): return x", True),
        ("def f(x): return g(x)", "import g", True),
        ("def f(x): return x", "def f(x): return 2 * x", True),
        ("def f(x): return x", "if 1:\n    f, g = 1, 2", True),
        ("def f(x): return x", "from mine import *", True),
        ("g = 1\ndef f(x): return g", "g = 2", True),
        ("import math\ndef f(x): return math.pi", "import math", False),
        ("def f(x): return x", "print(f(3))\nresult = f(4)", False),
        ("def f(x): return x", "# f = 3", False),
    ],
)
def test_checks_to_repeat_finds_changes_below(above, below, again):
    cells = [NotebookCode(above, False), None, NotebookCode(below, False)]
    assert checks_to_repeat(cells, {1: "f"}) == [1] * again
    assert checks_to_repeat([cells[0], None, NotebookCode(below, True)], {1: "f"}) == []
