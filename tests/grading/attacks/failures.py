"""Code that hangs, crashes or floods: what was earned stays, and nobody else notices.

Its sleeps are attacks: processes that occupy a place and use nothing else.
"""

from .model import failing

STUBBORN = """
import signal, time
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM): signal.signal(one, signal.SIG_IGN)
while True:
    try:
        while True: pass
    except BaseException: pass
"""
FORKS = """
import os, time
for _ in range(2000):
    try:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    except OSError: pass
"""
MEMORY = "block = []\nwhile True: block.append(bytearray(64 << 20))"
MANY = """
import os
for _ in range(12):
    if os.fork() == 0:
        block = [b"x" * (32 << 20)]
        while True: block.append(bytearray(b"x" * (32 << 20)))
os.wait()
"""
DISK = """
for n in range(10_000):
    with open(f"/tmp/{n}" if __import__("os").access("/tmp", 2) else f"/var/tmp/{n}", "wb") as file:
        file.write(b"x" * (8 << 20))
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
"""
ZOMBIES = "import os\nfor _ in range(20):\n    if os.fork() == 0: os._exit(0)"
THREADS = "import threading\nfor _ in range(4): threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()"
SEGFAULT = "import ctypes\nctypes.string_at(0)"
CLOSE = "import os\nos.closerange(0, 256)"
STOP = "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"
EDIT = "def efficiency(m, i, p, b):\n    "

ATTACKS = (
    failing("endless-last-cell", "an endless loop after all the work", last="while True: pass"),
    failing("endless-first-cell", "an endless loop before all the work", first="while True: pass"),
    failing(
        "endless-stubborn",
        "an endless loop that cannot be interrupted, in the middle",
        edits={"efficiency": STUBBORN},
        lost=("efficiency",),
    ),
    failing(
        "endless-function",
        "one function never ends",
        edits={"efficiency": EDIT + "while True: pass"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("hard-exit", "os._exit in the first cell", first="import os\nos._exit(0)"),
    failing(
        "hard-exit-in-function",
        "os._exit when asked",
        edits={"efficiency": EDIT + "import os; os._exit(0)"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("soft-exit", "sys.exit in the first cell", first="import sys\nsys.exit(1)"),
    failing(
        "soft-exit-in-function",
        "sys.exit when asked",
        edits={"efficiency": EDIT + "raise SystemExit"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("fork-bomb", "two thousand processes", first=FORKS, status=None),
    failing("memory-bomb", "takes all memory", last=MEMORY),
    # The kernel ends processes of the group in an order of its own, so the one that answers may be among them.
    failing("memory-bomb-many", "twelve processes that take all memory", last=MANY, slow=True, status=None, least=0.0),
    failing(
        "memory-bomb-in-function",
        "takes all memory when asked",
        edits={"efficiency": EDIT + "return [0.0] * 10**12"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("disk-fill", "fills the disk", last=DISK),
    failing("50-MB-output", "prints 50 MB", last="for _ in range(50): print('x' * 2**20)", status="graded"),
    failing("many-outputs", "displays thousands of things", last="for n in range(3_000): display(n)", status="graded"),
    failing(
        "html-output",
        "shows script and HTML",
        last="from IPython.display import HTML, Javascript\ndisplay(HTML('<script>alert(1)</script>'), Javascript('alert(1)'))",
        status="graded",
    ),
    failing(
        "deep-recursion",
        "calls itself forever",
        edits={"efficiency": "import sys\nsys.setrecursionlimit(10**9)\n" + EDIT + "return efficiency(m, i, p, b)"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("segfault", "crashes through ctypes", first=SEGFAULT),
    failing(
        "segfault-in-function",
        "crashes when asked",
        edits={"efficiency": EDIT + "import ctypes; ctypes.string_at(0)"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("stopped", "stops itself", first=STOP, status=None),
    failing("zombies", "leaves dead children", first=ZOMBIES, status="graded"),
    failing("daemon", "leaves a process that outlives it", first=DAEMON, status="graded"),
    failing("threads", "leaves threads that never rest", last=THREADS, status="graded"),
    failing("closed-lines", "closes every file descriptor", last=CLOSE, status=None),
    failing(
        "huge-answer",
        "returns a gigabyte",
        edits={"efficiency": EDIT + "import numpy as np; return np.zeros(10**8)"},
        lost=("efficiency",),
        status="graded",
    ),
    failing(
        "endless-answer",
        "returns a generator without end",
        edits={"efficiency": EDIT + "return (x for x in iter(int, 1))"},
        lost=("efficiency",),
        status="graded",
    ),
    failing(
        "nan-answer",
        "returns nan, which equals nothing",
        edits={"efficiency": EDIT + "return float('nan')"},
        lost=("efficiency",),
        status="graded",
    ),
    failing(
        "huge-integer",
        "returns an integer of a million digits",
        edits={"efficiency": EDIT + "return 10**1_000_000"},
        lost=("efficiency",),
        status="graded",
    ),
    failing(
        "surrogates",
        "prints and returns text that UTF-8 cannot hold",
        edits={"efficiency": "print('\\ud800')\n" + EDIT + "return '\\ud800'"},
        lost=("efficiency",),
        status="graded",
    ),
    failing("syntax-error", "a cell that is no Python", edits={"efficiency": "def efficiency(:"}, lost=("efficiency",)),
    failing(
        "late-redefinition",
        "a later cell breaks an earlier function",
        last="def shortest_time(*a): return 0",
        status="graded",
    ),
    failing(
        "magics",
        "uses magics, a shell command and a top-level await",
        first="%matplotlib inline\n%time 1 + 1\n!echo hello\nimport asyncio\nawait asyncio.sleep(0)",
        status="graded",
    ),
)
