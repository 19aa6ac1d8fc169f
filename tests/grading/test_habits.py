"""Common habits of students cost no points, or get one sentence; each runs through the whole grader."""

import pytest

from autograder.grading.submission import grade
from autograder.sandbox import CodeCell, Limits, Sandbox
from tests.grading.attacks.model import FULL, LAB, NAME, POINTS, SOLVED, code, graded, notebook, write

pytestmark = pytest.mark.sandbox

ALL = "\n\n".join(SOLVED.values())
HEAD = "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    "
RATE = f"{HEAD}return measured_flops / min(peak_flops, intensity * memory_bandwidth)"
HELPED = f"{HEAD}return measured_flops / roof(intensity, peak_flops, memory_bandwidth)"
ROOF = "def roof(intensity, peak, bandwidth):\n    return min(peak, intensity * bandwidth)"
STUBS = {name: "".join(graded(LAB.released)[name]["source"]) for name in SOLVED}
STUB = STUBS["efficiency"]
CHECK = 'check("lab.roofline.efficiency", efficiency)'


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(LAB, limits=Limits(cell_seconds=5, case_seconds=2)) as sandbox:
        yield sandbox


@pytest.fixture(autouse=True)
def secret(monkeypatch, tmp_path):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


def solved(efficiency=SOLVED["efficiency"], first="", last="", **edits):
    """Return the solved lab with one other answer."""
    return notebook({"efficiency": efficiency, **edits}, first, last, base=SOLVED)


def below(name, *sources, of=None):
    """Return the lab with the student's own cells below a named cell."""
    made = of or solved()
    where = made["cells"].index(graded(made)[name]) + 1
    made["cells"][where:where] = [code(source) for source in sources]
    return made


def without(made, *names):
    named = graded(made)
    gone = [named[name] for name in names]
    made["cells"] = [cell for cell in made["cells"] if cell not in gone]
    return made


def released(made, cell_id, text):
    """Change a released cell without a name; ``RELEASED`` stands for its source."""
    (cell,) = [cell for cell in made["cells"] if cell["id"] == cell_id]
    cell["source"] = text.replace("RELEASED", "".join(cell["source"]))
    return made


def retyped(kind):
    made = solved()
    graded(made)["efficiency"]["cell_type"] = kind
    return made


def marks(made, sandbox, folder, files=()):
    folder = folder / NAME
    folder.mkdir()
    write(folder, made)
    for name, content in dict(files).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return grade(folder, "ann", LAB, sandbox)


def told(result):
    return " ".join([*result.repairs, *(f"{name}: {one['message']}" for name, one in result.exercises.items())])


# Positions of an answer; each is worth all points.
PLACES = {
    "all below, stubs left": lambda: notebook(last=ALL),
    "all below, with the lab's own numbers": lambda: notebook(last=f"print(cache_bytes)\n{ALL}\nrates = compare(8)"),
    "all below, stubs deleted": lambda: without(notebook(last=ALL), *SOLVED),
    "all below, stubs emptied": lambda: notebook(dict.fromkeys(SOLVED, ""), last=ALL),
    "all below, stubs commented out": lambda: notebook(
        {name: "# " + stub.replace("\n", "\n# ") for name, stub in STUBS.items()}, last=ALL
    ),
    "all at the top, stubs left": lambda: notebook(first=ALL),
    "all at the top, stubs saved on Windows": lambda: notebook(
        {name: stub.replace("\n", "\r\n") for name, stub in STUBS.items()}, first=ALL
    ),
    "all in the set-up cell, stubs left": lambda: released(notebook(), "setup", f"RELEASED\n\n{ALL}"),
    "below its check": lambda: below("efficiency-check", RATE, of=solved(STUB)),
    "below the check, in its cell": lambda: solved(STUB, **{"efficiency-check": f"{CHECK}\n\n{RATE}"}),
    "in the check cell, stub deleted": lambda: without(
        solved(**{"efficiency-check": f"{RATE}\n\n{CHECK}"}), "efficiency"
    ),
    "wrong in its cell, right below": lambda: below("efficiency-check", RATE, of=solved(RATE.replace("min", "max"))),
    "right in its cell, the name used again below": lambda: below(
        "efficiency-check", "efficiency = 0.4", of=solved(last="def shortest_time(a):\n    return 7")
    ),
    "docstring in the stub, answer at the top": lambda: solved(
        STUB.replace("\n", '\n    """I think:\n\n    divide.\n    """\n'), first=RATE
    ),
    "remarks in the stub, answer at the top": lambda: solved(
        STUB.replace("\n", "  # see\n    # the top\n"), first=RATE
    ),
    "a helper above the stub, answer below": lambda: solved(f"{ROOF}\n\n{STUB}", last=RATE),
    "the raise left below the return": lambda: solved(f"{RATE}\n    raise NotImplementedError"),
    "the stub kept in a cell below the answer": lambda: below("efficiency", STUB, of=solved(RATE)),
    "the stub kept below the answer in its cell": lambda: solved(f"{RATE}\n\n{STUB}"),
    "a lambda": lambda: solved(STUB, last="efficiency = lambda m, i, p, b: m / min(p, i * b)"),
    "a partial": lambda: solved(
        STUB, last="from functools import partial\nefficiency = partial(lambda k, m, i, p, b: m / min(p, i * b), 1)"
    ),
    "an object that can be called": lambda: solved(
        STUB,
        last=f"class Share:\n    __call__ = lambda self, *a: share(*a)\n{RATE.replace('efficiency', 'share')}\nefficiency = Share()",
    ),
    "by a tuple": lambda: solved(STUB, last=f"{RATE.replace('efficiency', 'one')}\nefficiency, other = one, 2"),
    "under a condition": lambda: solved(STUB, last="if True:\n    " + RATE.replace("\n", "\n    ")),
    "under a condition at the top": lambda: solved(STUB, first="if True:\n    " + RATE.replace("\n", "\n    ")),
    "by exec": lambda: solved(STUB, last=f"exec({RATE!r})"),
    "two below, the last is right": lambda: below(
        "efficiency-check", RATE.replace("min", "max"), RATE, of=solved(STUB)
    ),
    "a helper below the check": lambda: below("efficiency-check", ROOF, of=solved(HELPED)),
    "a helper in the cell of a later answer": lambda: solved(HELPED, rank_chips=f"{ROOF}\n\n{SOLVED['rank_chips']}"),
    "an import further below": lambda: solved(
        RATE.replace("min(", "np.minimum("), rank_chips=f"import numpy as np\n{SOLVED['rank_chips']}"
    ),
    "raw text": lambda: retyped("raw"),
    "Markdown": lambda: retyped("markdown"),
    "a module that a cell writes": lambda: below(
        "task-efficiency", f"%%writefile mine.py\n{RATE}", "import mine", of=solved("efficiency = mine.efficiency")
    ),
    "a second module, written after the first was imported": lambda: below(
        *("task-efficiency", "%%writefile mine.py\nx = 1", "import mine", f"%%writefile other.py\n{RATE}"),
        of=solved("from other import *\nprint(mine.x)"),
    ),
    "threads that a cell started": lambda: solved(
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\nprint(*pool.map(abs, [-1, -2]))\n"
        + f"{ROOF}\n{HEAD}return measured_flops / pool.submit(roof, intensity, peak_flops, memory_bandwidth).result()"
    ),
    "seaborn in the set-up cell": lambda: released(
        solved(), "setup", "import seaborn as sns\nsns.set_theme()\nRELEASED"
    ),
    "another set-up cell": lambda: released(solved(), "setup", "from autograder import *\nimport seaborn"),
    "a broken set-up cell": lambda: released(solved(), "setup", "RELEASED\nimport seaborn as (sns"),
    "a broken cell of one's own numbers": lambda: released(
        solved(), "own-chip", "1 / 0\nchip = given('lab.roofline.own_chip')\nprint(chip)"
    ),
}


# The most common ones, and those that the others build on; `make prove` tries all.
OFTEN = (
    *("all below, stubs left", "all at the top, stubs left", "below its check", "wrong in its cell, right below"),
    *("right in its cell, the name used again below", "in the check cell, stub deleted", "by exec"),
    *("a helper below the check", "a second module, written after the first was imported"),
    *("threads that a cell started", "seaborn in the set-up cell", "a broken cell of one's own numbers"),
)


@pytest.mark.parametrize(
    "place", [pytest.param(place, marks=() if place in OFTEN else pytest.mark.prove) for place in PLACES]
)
def test_answer_counts_in_any_cell(place, sandbox, tmp_path):
    result = marks(PLACES[place](), sandbox, tmp_path)
    assert result.score == FULL, told(result)


# Lines that may be at the top of an answer's cell and must not cost the answer; they sleep, because code may sleep.
LINES = (
    "from autograder.student import check, given\nfrom autograder.student.check import check",
    "from autograder.student.progress import progress, Progress\nfrom autograder.student.help import hint",
    "from autograder import progress\nprint(progress().summary, len(str(progress())))\nfor row in progress().exercises: row['state']",
    "verdict = check('lab.roofline.efficiency', abs)\nassert verdict.correct\nif verdict.verdict != 'correct': raise SystemExit\nverdict",
    "print(f'{check(1, 2).score:.1f}', 2 * check(1, 2).score, 'x' + check(1, 2).message, *hint('a').paragraphs)",
    "from chip2cluster import draw\nfigure = draw.roofline(1, 2)\nfigure.savefig('a.png')\nimport chip2cluster.draw.style",
    "import autograder.exercises\nimport autograder.checking.judge as j\nfrom chip2cluster.chapters.roofline.lab.time import X\nfrom autograder import doctor",
    "import chip2cluster.roofline\nfrom chip2cluster.roofline.model import attainable\nfrom chip2cluster import explore",
    "import torch, seaborn as sns\nfrom scipy_of_mine import a as b\nimport no.such.module",
    "%matplotlib widget\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
    "!pip install nothing-at-all\n%pip install nothing-at-all",
    "%load_ext autoreload\n%autoreload 2\n%config InlineBackend.figure_format = 'retina'",
    "from __future__ import annotations",
    "import numpy as np\nnp.set_printoptions(precision=3)\nimport pandas as pd\npd.set_option('display.width', 100)",
    "from pathlib import Path\nPath('data.csv').write_text('1,2')\nPath('data.csv').read_text()\nimport os\nos.chdir('..')",
    "from IPython.display import display, Markdown, HTML, clear_output\ndisplay(Markdown('**a**'), HTML('<b>'))\nclear_output(wait=True)",
    "from tqdm.auto import tqdm\nfor i in tqdm(range(3)): pass",
    "get_ipython().run_line_magic('matplotlib', 'inline')",
    "import asyncio\nawait asyncio.sleep(0.01)\nprint(await asyncio.gather(asyncio.sleep(0, 1)))",
    "import ipywidgets as w\ndisplay(w.HBox([w.IntSlider(value=3)]))\n@w.interact(x=(0, 3))\ndef show(x): print(x)",
    "import warnings\nwarnings.simplefilter('error')\nimport numpy\nnumpy.seterr(all='raise')",
    "import logging\nlogging.basicConfig(level=logging.DEBUG)\nlogging.getLogger(__name__).info('x')",
    "größe = π = 3  # ✓ 李\nif (n := 3) > 2: print(f\"{'a'!r} {n:.{2}f}\")",
    "exit()\nquit()",
    "import functools, statistics\n@functools.cache\ndef middle(*a): return statistics.median(a)",
    "efficiency_before = 1\ndel efficiency_before\nglobal asked\nasked = 0",
    "%time 1 + 1\n%timeit -n1 -r1 1 + 1",
    "\t\t\r\n",
    "%autosave 60\n%load_ext no_such_extension\n%conda install nothing-at-all",
    "%%memit",
    "import getpass, platform\ngetpass.getuser(), platform.node()",
    "import chip2cluster as c\nc.roofline, c.explore.x(1)\nfrom chip2cluster import *",
)


def test_table_is_shown_whole_with_preloaded_pandas(sandbox):
    source = "import sys\nprint('pandas' in sys.modules)\nimport pandas\npandas.DataFrame([range(100, 130)])"
    (ran,) = sandbox.run([CodeCell(source)])
    before, table = ran.outputs
    assert before["text"] == "True\n" and len(table["data"]["text/plain"].splitlines()) == 2
    assert "114" in table["data"]["text/plain"]


@pytest.mark.parametrize("start", range(0, len(LINES), len(SOLVED)))
def test_extra_line_above_an_answer_costs_nothing(start, sandbox, tmp_path):
    edits = {name: f"{line}\n{SOLVED[name]}" for name, line in zip(SOLVED, LINES[start:], strict=False)}
    result = marks(notebook(edits, base=SOLVED), sandbox, tmp_path)
    assert result.score == FULL, told(result)


# Own cells that fail, or that only Jupyter could run.
CELLS = (
    *("import sys\nsys.exit(0)", "print(__file__)", "input('name: ')", "%run other.ipynb", "x\u00a0= 1", "print 'x'"),
    *(
        "%%bash\nls",
        "%%html\n<b>",
        "%%nothing",
        "efficiency?",
        "import nest_asyncio\nnest_asyncio.apply()",
        "# nothing",
    ),
    *("import unittest\nunittest.main(argv=[''], exit=False)", "import os\nos.chdir('/home/ann')", "open('mine.csv')"),
    *(
        "import asyncio\nasync def f(): return 1\nasyncio.run(f())",
        "%reset_selective -f ^zzz",
        "raise KeyboardInterrupt",
    ),
)


def test_failing_own_cells_cost_nothing(sandbox, tmp_path):
    result = marks(below("title", *CELLS), sandbox, tmp_path)
    assert result.score == FULL, told(result)
    said = " ".join(result.repairs)
    for word in (
        "`nest_asyncio` is not installed",
        "a file does not exist where your work is graded",
        "other notebooks do not exist",
        "`input()`",
    ):
        assert word in said, word


def test_missing_module_in_output_is_not_quoted(sandbox, tmp_path):
    result = marks(solved(first="raise ModuleNotFoundError(\"No module named 'secret'\")"), sandbox, tmp_path)
    assert "secret" not in told(result) and "needs a module that is not installed" in told(result)


@pytest.mark.parametrize(
    "answer, said",
    [
        (f"{HEAD}import torch\n    return torch.ones(1)", "ModuleNotFoundError in the line `import torch`"),
        (f"import torch\n{HEAD}return torch.ones(1)", "ModuleNotFoundError in the line `return torch.ones(1)`"),
        (
            "import autograder.checking.judge\ndef efficiency(*a):\n    return autograder.checking.judge.grade_outcomes(*a)",
            "Write the formula",
        ),
        (
            "from concurrent.futures import ProcessPoolExecutor\npool = ProcessPoolExecutor(1)\npool.submit(abs, 1).result()\n"
            f"{HEAD}return pool.submit(abs, 1).result()",
            "threads or processes",
        ),
    ],
)
def test_unworkable_answer_gets_an_explanation(answer, said, sandbox, tmp_path):
    result = marks(solved(answer), sandbox, tmp_path)
    assert result.score == FULL - POINTS["efficiency"] and said in told(result)


def test_files_beside_the_notebook_are_available(sandbox, tmp_path):
    answer = (
        "import mine\nfrom tools.roofs import roof\nprint(open('data/peaks.csv').read())\nefficiency = mine.efficiency"
    )
    files = {
        "mine.py": f"from tools.roofs import roof\n{HELPED}".encode(),
        "tools/roofs.py": ROOF.encode(),
        "data/peaks.csv": b"chip,peak\n",
        "numbers.py": b"x = 1",
        "huge.csv": b"1," * (1 << 20),
    }
    result = marks(solved(answer), sandbox, tmp_path, files)
    assert result.score == FULL, told(result)
    (sentence,) = result.repairs
    assert "`huge.csv`" in sentence
