"""What students do without a thought costs no point: each habit goes through the grader as it is."""

import copy
import json

import pytest

from autograder.box import Box, Limits
from autograder.grading.submission import grade
from tests.grading.attacks.model import FULL, LAB, NAME, POINTS, SOLVED, code, graded, notebook, write

ALL = "\n\n".join(SOLVED.values())
RATE = SOLVED["efficiency"]
BODY = "return measured_flops / min(peak_flops, intensity * memory_bandwidth)"


@pytest.fixture(scope="module")
def box():
    with Box(LAB, limits=Limits(cell_seconds=5, case_seconds=2)) as box:
        yield box


@pytest.fixture(autouse=True)
def secret(monkeypatch, tmp_path):
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "for the tests")
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "record"))


def solved(edits=None, first="", last=""):
    return notebook(edits, first, last, base=SOLVED)


def place(made, name):
    return made["cells"].index(graded(made)[name])


def below(name, *sources, made=None):
    """The lab, solved, with cells of the student's own below one that has a name."""
    made = made or solved()
    where = place(made, name) + 1
    made["cells"][where:where] = [code(source) for source in sources]
    return made


def without(made, *names):
    made["cells"] = [cell for cell in made["cells"] if not (names and cell in [graded(made).get(n) for n in names])]
    return made


def stub(name="efficiency"):
    return "".join(graded(LAB.released)[name]["source"])


def unwritten(name="efficiency", **more):
    return solved({name: stub(name)}, **more)


# What is handed in, by what it is called; each is worth all points of the machine.
HABITS = {
    "all in one cell at the end, stubs left": lambda: notebook(last=ALL),
    "all in one cell at the end, which uses what the lab made": lambda: notebook(
        last=f"print(cache_bytes)\n{ALL}\nrates = compare(8)"
    ),
    "all in one cell at the end, stubs deleted": lambda: without(notebook(last=ALL), *SOLVED),
    "all in one cell at the end, stubs emptied": lambda: notebook(dict.fromkeys(SOLVED, ""), last=ALL),
    "all in one cell at the end, stubs commented out": lambda: notebook(
        {n: "# " + stub(n).replace("\n", "\n# ") for n in SOLVED}, last=ALL
    ),
    "all in one cell at the top, stubs left": lambda: notebook(first=ALL),
    "all in the set-up cell, stubs left": lambda: _set_up(notebook(), "{released}\n\n" + ALL),
    "one below its check": lambda: below("efficiency-check", RATE, made=unwritten()),
    "one in the check cell below the check": lambda: solved(
        {"efficiency": stub(), "efficiency-check": f'check("lab.roofline.efficiency", efficiency)\n\n{RATE}'}
    ),
    "one in the check cell, stub deleted": lambda: without(
        solved({"efficiency-check": f'{RATE}\n\ncheck("lab.roofline.efficiency", efficiency)'}), "efficiency"
    ),
    "a wrong one in its cell, the right one below": lambda: below(
        "efficiency-check", RATE, made=solved({"efficiency": RATE.replace("min", "max")})
    ),
    "a right one in its cell, another use of the name below": lambda: below(
        "efficiency-check", "efficiency = 0.4", made=solved(last="def shortest_time(a): return 7")
    ),
    "the stub's docstring edited, answer at the top": lambda: solved(
        {"efficiency": stub().replace("\n", '\n    """What I think:\n\n    divide.\n    """\n')}, first=RATE
    ),
    "a comment in the stub, answer at the top": lambda: solved(
        {"efficiency": stub().replace("\n", "  # see the top\n    # really\n")}, first=RATE
    ),
    "a helper above the stub, answer at the end": lambda: solved(
        {"efficiency": "def ridge(a, b):\n    return a / b\n\n" + stub()}, last=RATE
    ),
    "the raise left below the return": lambda: solved({"efficiency": RATE + "\n    raise NotImplementedError"}),
    "a lambda elsewhere": lambda: unwritten(last="efficiency = lambda m, i, p, b: m / min(p, i * b)"),
    "a partial elsewhere": lambda: unwritten(
        last="from functools import partial\ndef share(k, m, i, p, b):\n    return k * m / min(p, i * b)\nefficiency = partial(share, 1)"
    ),
    "a class with a call elsewhere": lambda: unwritten(
        last="class Share:\n    def __call__(self, m, i, p, b):\n        return m / min(p, i * b)\nefficiency = Share()"
    ),
    "a decorator, elsewhere": lambda: unwritten(last=f"import functools\n@functools.lru_cache\n{RATE}"),
    "an attribute of something else": lambda: unwritten(
        last="class Mine:\n    @staticmethod\n    def share(m, i, p, b):\n        return m / min(p, i * b)\nefficiency = Mine.share"
    ),
    "two at once by a tuple": lambda: notebook(
        base=SOLVED,
        edits={n: stub(n) for n in ("efficiency", "largest_batch")},
        last=f"{RATE}\n{SOLVED['largest_batch']}\ne, l = efficiency, largest_batch\nefficiency, largest_batch = e, l",
    ),
    "defined where a condition holds": lambda: unwritten(last="if True:\n    " + RATE.replace("\n", "\n    ")),
    "defined where a condition holds, at the top": lambda: unwritten(
        first="if True:\n    " + RATE.replace("\n", "\n    ")
    ),
    "defined by exec": lambda: unwritten(last=f"exec({RATE!r})"),
    "two candidates, the last is right": lambda: below(
        "efficiency-check", RATE.replace("min", "max"), RATE, made=unwritten()
    ),
    "a helper that a cell below the check defines": lambda: below(
        "efficiency-check",
        "def ridge(i, p, b):\n    return min(p, i * b)",
        made=solved(
            {
                "efficiency": RATE.replace(
                    "min(peak_flops, intensity * memory_bandwidth)", "ridge(intensity, peak_flops, memory_bandwidth)"
                )
            }
        ),
    ),
    "a helper that a later answer's cell defines": lambda: solved(
        {
            "efficiency": RATE.replace(
                "min(peak_flops, intensity * memory_bandwidth)", "ridge(intensity, peak_flops, memory_bandwidth)"
            ),
            "rank_chips": "def ridge(i, p, b):\n    return min(p, i * b)\n\n" + SOLVED["rank_chips"],
        }
    ),
    "numpy imported further below": lambda: solved(
        {
            "efficiency": RATE.replace("min(peak_flops, ", "np.minimum(peak_flops, "),
            "rank_chips": "import numpy as np\n" + SOLVED["rank_chips"],
        }
    ),
    "an answer turned to raw text": lambda: _kind(solved(), "efficiency", "raw"),
    "an answer turned to Markdown": lambda: _kind(solved(), "efficiency", "markdown"),
    "an answer in an await cell": lambda: solved({"efficiency": "import asyncio\nawait asyncio.sleep(0)\n" + RATE}),
    "check from autograder.student": lambda: solved(first="from autograder.student import check"),
    "each learner's name from its own module": lambda: solved(
        first="from autograder.student.check import check\nfrom autograder.student.help import hint\nfrom autograder.student.progress import progress, Progress\nfrom autograder.student.given import given\nfrom autograder.student import check, given, hint\ncheck('a', 1); hint('a')\nassert given('lab.roofline.own_chip')['peak_flops']"
    ),
    "progress().summary": lambda: solved(
        first="from autograder import progress\nprogress().summary\nprint(progress().summary, len(str(progress())))\nfor row in progress().exercises:\n    print(row['state'])"
    ),
    "check(...).correct in the answer": lambda: solved(
        {
            "efficiency": RATE
            + "\n\nverdict = check('lab.roofline.efficiency', efficiency)\nassert verdict.correct\nif verdict.verdict != 'correct':\n    raise SystemExit\nprint(f'{verdict.score:.1f} of {verdict.max_score}', 2 * verdict.score, 'x' + verdict.message)\nverdict"
        }
    ),
    "hint(...) in the answer": lambda: solved(
        {
            "efficiency": RATE
            + "\n\nh = hint('lab.roofline.efficiency')\nprint(h.title, *h.paragraphs, h.code[:9])\ndisplay(h)\nh"
        }
    ),
    "a drawing that is kept": lambda: solved(
        {
            "efficiency": "from chip2cluster import draw\nfigure = draw.roofline(1, 2)\nfigure.savefig('a.png')\nimport chip2cluster.draw.style as s\ns.use()\n"
            + RATE
        }
    ),
    "%%writefile, then import": lambda: below(
        "task-efficiency",
        f"%%writefile my_own.py\n{RATE}",
        "import my_own",
        made=solved({"efficiency": "efficiency = my_own.efficiency"}),
    ),
    "%%writefile twice, with a reload": lambda: below(
        "task-efficiency",
        "%%writefile my_own.py\nx = 1",
        "import my_own",
        f"%%writefile my_other.py\n{RATE}",
        "from my_other import *",
        made=solved({"efficiency": "print(my_own.x)"}),
    ),
    "a pool of threads made in a cell": lambda: solved(
        {
            "efficiency": "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(2)\nprint(list(pool.map(abs, [-1, -2])))\n"
            + RATE.replace("return ", "return pool.submit(lambda: ").rstrip()
            + ").result()"
        }
    ),
    "import autograder.exercises, unused": lambda: solved(
        {
            "efficiency": "import autograder.exercises\nimport autograder.judge as j\nfrom autograder.exercises import exercise\nfrom autograder.exercises.roofline_lab.time import EXERCISE\nfrom autograder import doctor\n"
            + RATE
        }
    ),
    "what of the package is the answer, unused": lambda: solved(
        {
            "efficiency": "import chip2cluster.roofline\nfrom chip2cluster.roofline.model import attainable\nfrom chip2cluster import roofline, explore\n"
            + RATE
        }
    ),
    "the set-up cell deleted": lambda: _set_up(solved(), None),
    "seaborn in the set-up cell": lambda: _set_up(solved(), "import seaborn as sns\n{released}"),
    "the set-up cell written anew": lambda: _set_up(
        solved(), "from autograder import *\nimport seaborn\nfrom chip2cluster import specs"
    ),
    "a broken set-up cell": lambda: _set_up(solved(), "{released}\nimport seaborn as (sns"),
    "a broken cell of one's own numbers": lambda: _released(
        solved(), "own-chip", "import seaborn\nchip = given('lab.roofline.own_chip')\nprint(chip)"
    ),
    "pip in a cell": lambda: solved(first="!pip install nothing-at-all", edits={"efficiency": RATE}),
    "%pip in a cell": lambda: solved(first="%pip install nothing-at-all"),
    "plt.show()": lambda: solved(
        {"efficiency": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()\n" + RATE}
    ),
    "%matplotlib widget": lambda: solved(first="%matplotlib widget", edits={"efficiency": RATE}),
    "%matplotlib notebook": lambda: solved(first="%matplotlib notebook"),
    "from __future__": lambda: solved({"efficiency": "from __future__ import annotations\n" + RATE}),
    "a main guard": lambda: solved(
        {"efficiency": RATE + "\n\nif __name__ == '__main__':\n    print(efficiency(1, 1, 1, 1))"}
    ),
    "a definition below a main guard": lambda: solved(
        {"efficiency": "if __name__ == '__main__':\n    " + RATE.replace("\n", "\n    ")}
    ),
    "type hints": lambda: solved(
        {
            "efficiency": f"def efficiency(measured_flops: float, intensity: 'float', peak_flops: float | None, memory_bandwidth) -> float:\n    {BODY}"
        }
    ),
    "global": lambda: solved(
        {
            "efficiency": f"asked = 0\ndef efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    global asked\n    asked += 1\n    {BODY}"
        }
    ),
    "recursion": lambda: solved(
        {
            "efficiency": f"def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth, deep=200):\n    if deep:\n        return efficiency(measured_flops, intensity, peak_flops, memory_bandwidth, deep - 1)\n    {BODY}"
        }
    ),
    "f-strings, walrus, match": lambda: solved(
        {
            "efficiency": f"def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    text = f\"{{'a'!r}} {{measured_flops:.{{2}}f}}\"\n    if (n := len(text)):\n        match n:\n            case 0:\n                return 0\n            case _:\n                {BODY}"
        }
    ),
    "np.set_printoptions": lambda: solved(
        first="import numpy as np\nnp.set_printoptions(precision=3)\nimport pandas as pd\npd.set_option('display.width', 100)"
    ),
    "a file by a relative path": lambda: solved(
        {
            "efficiency": "from pathlib import Path\nPath('data.csv').write_text('1,2')\nprint(Path('data.csv').read_text())\nimport pandas as pd\npd.read_csv('data.csv')\n"
            + RATE
        }
    ),
    "os.chdir": lambda: solved({"efficiency": "import os\nos.chdir('..')\n" + RATE}),
    "os.chdir to a folder of home": lambda: solved(first="import os\nos.chdir('/home/ann/course')"),
    "__file__": lambda: solved(first="print(__file__)"),
    "exit()": lambda: below("efficiency-check", "exit()", "import sys\nsys.exit(0)", "quit"),
    "display": lambda: solved(
        {
            "efficiency": "from IPython.display import display, Markdown, HTML, Math, clear_output\ndisplay(Markdown('**a**'), HTML('<b>'), Math('x'))\nclear_output(wait=True)\n"
            + RATE
        }
    ),
    "tqdm": lambda: solved(first="from tqdm import tqdm\nfor i in tqdm(range(3)): pass"),
    "tqdm.notebook": lambda: solved(first="from tqdm.notebook import tqdm\nfor i in tqdm(range(3)): pass"),
    "%run of another notebook": lambda: solved(first="%run other.ipynb"),
    "run_line_magic": lambda: solved(
        {
            "efficiency": "get_ipython().run_line_magic('matplotlib', 'inline')\nget_ipython().run_line_magic('load_ext', 'autoreload')\nget_ipython().run_line_magic('autoreload', '2')\n"
            + RATE
        }
    ),
    "%load_ext autoreload": lambda: solved(
        {"efficiency": "%load_ext autoreload\n%autoreload 2\n%config InlineBackend.figure_format = 'retina'\n" + RATE}
    ),
    "nest_asyncio": lambda: solved(first="import nest_asyncio\nnest_asyncio.apply()"),
    "asyncio.run": lambda: solved(first="import asyncio\nasync def f(): return 1\nasyncio.run(f())"),
    "top-level await": lambda: solved(
        {
            "efficiency": "import asyncio\nawait asyncio.sleep(0.01)\nprint(await asyncio.gather(asyncio.sleep(0, 1)))\n"
            + RATE
        }
    ),
    "tabs": lambda: solved({name: source.replace("    ", "\t") for name, source in SOLVED.items()}),
    "Windows line ends": lambda: solved({name: source.replace("\n", "\r\n") for name, source in SOLVED.items()}),
    "old Mac line ends": lambda: solved({name: source.replace("\n", "\r") for name, source in SOLVED.items()}),
    "Windows line ends in stubs, all at the top": lambda: notebook(
        {n: stub(n).replace("\n", "\r\n") for n in SOLVED}, first=ALL
    ),
    "non-ASCII identifiers": lambda: solved(
        {
            "efficiency": "def efficiency(measured_flops, intensity, peak_flops, memory_bandwidth):\n    größe = π = min(peak_flops, intensity * memory_bandwidth)\n    return measured_flops / größe  # ✓ 李\n"
        }
    ),
    "a non-breaking space": lambda: solved(first="x\u00a0= 1"),
    "a cell with a comment alone": lambda: solved(first="# nothing", last="# nothing either"),
    "del of a helper": lambda: below("efficiency-check", "n = 5\ndel n", "del efficiency"),
    "%reset below the check": lambda: below("efficiency-check", "%reset_selective -f ^zzz"),
    "math, statistics, functools.cache": lambda: solved(
        {
            "efficiency": "import statistics, functools\n@functools.cache\ndef rate(p, i, b):\n    return statistics.median([min(p, i * b)])\n\n"
            + RATE.replace(
                "min(peak_flops, intensity * memory_bandwidth)", "rate(peak_flops, intensity, memory_bandwidth)"
            )
        }
    ),
    "widgets": lambda: solved(
        {
            "efficiency": "import ipywidgets as w\nfrom ipywidgets import interact\nbox = w.HBox([w.IntSlider(value=3)])\ndisplay(box)\n@interact(x=(0, 3))\ndef show(x): print(x)\n"
            + RATE
        }
    ),
    "warnings as errors": lambda: solved(
        {
            "efficiency": "import warnings\nwarnings.simplefilter('error')\nimport numpy as np\nnp.seterr(all='raise')\n"
            + RATE
        }
    ),
    "logging": lambda: solved(
        {
            "efficiency": "import logging\nlogging.basicConfig(level=logging.DEBUG)\nlog = logging.getLogger(__name__)\nlog.info('x')\n"
            + RATE.replace("    return", "    log.warning('asked')\n    return")
        }
    ),
    "prints in a function": lambda: solved(
        {"efficiency": RATE.replace("    return", "    print('asked', flush=True)\n    return")}
    ),
    "input()": lambda: below("efficiency-check", "name = input('Your name: ')"),
    "%%time and %%timeit": lambda: solved(
        {"efficiency": "%%time\n" + RATE}, last="%timeit -n1 -r1 efficiency(1, 1, 1, 1)"
    ),
    "%%bash and !ls": lambda: solved(first="%%bash\nls", last="!ls\n%ls"),
    "In and Out": lambda: solved(first="print(In, Out, _, __)", last="_"),
    "asserts of one's own": lambda: solved(
        {"efficiency": RATE + "\n\nassert efficiency(1, 1, 1, 1) == 1\nassert efficiency(1, 1, 2, 1) == 0.9"}
    ),
    "unittest in the notebook": lambda: solved(
        last="import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 1)\nunittest.main(argv=[''], exit=False)"
    ),
    "doctest": lambda: solved(last="import doctest\ndoctest.testmod()"),
    "matplotlib, scipy, torch in the answer": lambda: solved({"efficiency": RATE + "\nimport torch\n"}),
    "dataclasses and enums": lambda: solved(
        {
            "efficiency": "from dataclasses import dataclass\nfrom enum import Enum\n@dataclass\nclass Chip:\n    peak: float\n    bandwidth: float\n    def roof(self, i): return min(self.peak, i * self.bandwidth)\nclass K(Enum):\n    A = 1\n\n"
            + RATE.replace(
                "min(peak_flops, intensity * memory_bandwidth)", "Chip(peak_flops, memory_bandwidth).roof(intensity)"
            )
        }
    ),
    "pickle of an own class": lambda: solved(last="import pickle\nclass C: pass\npickle.loads(pickle.dumps(C()))"),
    "inspect.getsource": lambda: solved(last="import inspect\nprint(inspect.getsource(efficiency))"),
    "efficiency?": lambda: solved(last="efficiency?\n?efficiency\nhelp(efficiency)"),
}
# As above, and what else is worth fewer points: the functions that lose them.
COSTS = {
    "torch before the answer": (lambda: solved({"efficiency": "import torch\n" + RATE}), ["efficiency"]),
    "an answer that calls the reference": (
        lambda: solved(
            {
                "efficiency": "from autograder.exercises import exercise\ndef efficiency(*a):\n    return exercise('lab.roofline.efficiency').reference(*a)"
            }
        ),
        ["efficiency"],
    ),
    "an answer that is absent": (lambda: solved({"efficiency": stub()}), ["efficiency"]),
    "a process pool made in a cell": (
        lambda: solved(
            {
                "efficiency": "from concurrent.futures import ProcessPoolExecutor\npool = ProcessPoolExecutor(1)\npool.submit(abs, 1).result()\n"
                + RATE.replace("return ", "return abs(pool.submit(abs, 1).result()) * ")
            }
        ),
        ["efficiency"],
    ),
    "an old kind of Python": (lambda: solved({"efficiency": "print 'hello'\n" + RATE}), ["efficiency"]),
}


def _set_up(made, text):
    return _released(made, "setup", text)


def _released(made, cell_id, text):
    (cell,) = [cell for cell in made["cells"] if cell["id"] == cell_id]
    if text is None:
        made["cells"].remove(cell)
    else:
        cell["source"] = text.replace("{released}", "".join(cell["source"]))
    return made


def _kind(made, name, kind):
    graded(made)[name]["cell_type"] = kind
    return made


def marks(made, box, folder):
    folder = folder / NAME
    folder.mkdir()
    write(folder, made)
    return grade(folder, "ann", LAB, box)


@pytest.mark.parametrize("habit", HABITS)
def test_habit(habit, box, tmp_path):
    result = marks(HABITS[habit](), box, tmp_path)
    lost = [(one["verdict"], one["message"]) for one in result.exercises.values() if one["score"] < one["max_score"]]
    print(result.repairs)
    for cell in result.notebook["cells"]:
        for output in cell.get("outputs", []):
            if output["output_type"] == "error":
                print(output["ename"], output["evalue"][:200])
    assert result.score == FULL, (lost, result.repairs)


@pytest.mark.parametrize("habit", COSTS)
def test_cost(habit, box, tmp_path):
    build, lost = COSTS[habit]
    result = marks(build(), box, tmp_path)
    print(result.repairs, [one["message"] for one in result.exercises.values() if one["score"] < one["max_score"]])
    assert result.score == FULL - sum(POINTS[name] for name in lost)
