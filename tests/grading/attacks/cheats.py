"""Submissions that try to earn marks without the answers."""

from autograder.exercises import exercises

from .model import cheat, code, every, graded

EQUAL = """
class Equal(float):
    def __eq__(self, other): return True
    __ne__ = lambda self, other: False
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    def __sub__(self, other): return 0.0
    __rsub__ = __truediv__ = __rtruediv__ = __sub__
    def __hash__(self): return 0
"""
LAZY = """
import numpy as np
class Lazy(np.ndarray):
    def __array_ufunc__(self, *_, **__): return np.True_
    def __array_function__(self, *_, **__): return True
"""
FORGE = """
import json, os, struct
for n in ("", "0", None):
    body = json.dumps({"value": 1.0, "ok": True, "outputs": [], "n": n, "score": 25, "verdict": "correct"}).encode()
    for fd in range(0, 64):
        try: os.write(fd, (struct.pack(">I", len(body)) + body) * 20)
        except OSError: pass
"""
FORGE_IN_CALL = """import os, struct, json, sys, gc, socket
    body = json.dumps({"value": 1.0, "verdict": "correct", "score": 25}).encode()
    for fd in range(3, 64):
        try: os.write(fd, struct.pack(">I", len(body)) + body)
        except OSError: pass
    return 1.0"""
FRAMES = """import sys
    frame, found = sys._getframe(), []
    while frame:
        for name in ("expected", "case", "cases", "exercise", "reference", "tolerance"):
            if name in frame.f_locals: found.append(frame.f_locals[name])
        frame = frame.f_back
    return found[0] if found else 0.0"""
OBJECTS = """import gc
    for thing in gc.get_objects():
        if type(thing).__name__ in ("Exercise", "Case", "Group", "Mistake", "Outcome"):
            return thing.reference(*locals().values())
    return 0.0"""
SEARCH = """
import glob, sys
for depth in range(6):
    for package in ("autograder", "chip2cluster"):
        sys.path[:0] = [place.rpartition("/")[0] for place in glob.glob("/*" * depth + "/" + package)]
"""
REFERENCE = f"""import sys
    for name in [n for n in sys.modules if n.startswith(("autograder", "chip2cluster"))]: del sys.modules[name]
    from {exercises.__module__} import {exercises.__name__}
    for one in {exercises.__name__}().values():
        if one.function_name == "{{name}}": return one.reference(*args)"""
PATCH_ALL = """
import builtins, json, math, struct, sys
import numpy as np, numpy.testing
yes = lambda *a, **k: True
for name in dir(numpy.testing):
    if name.startswith("assert"): setattr(numpy.testing, name, lambda *a, **k: None)
np.isclose = np.allclose = np.array_equal = math.isclose = yes
np.all = yes
"""
GRADER = (
    "autograder.grading",
    "autograder.checking.diagnosis",
    "autograder.checking.judge",
    "autograder.answers",
    "autograder.doctor",
    "nbgrader.utils",
)
PATCHED = ("agree", "grade_outcomes", "normalize", "same_type", "answer_query", "_call")
PATCH_GRADER = """
import sys, types
for name in GRADER:
    fake = types.ModuleType(name)
    fake.award = fake.agree = fake.grade_outcomes = fake.determine_grade = lambda *a, **k: 25.0
    sys.modules[name] = fake
for name, module in list(sys.modules.items()):
    for attribute in PATCHED:
        if hasattr(module, attribute):
            try: setattr(module, attribute, lambda *a, **k: {"value": 1.0})
            except Exception: pass
""".replace("GRADER", repr(GRADER)).replace("PATCHED", repr(PATCHED))
TRANSFORMER = """
import ast
class Gift(ast.NodeTransformer):
    def visit_Call(self, node):
        name = getattr(node.func, "id", "")
        return ast.copy_location(ast.Constant(25.0), node) if name in ("award", "check") else self.generic_visit(node)
get_ipython().ast_transformers.append(Gift())
get_ipython().input_transformers_post.append(lambda lines: ["25.0\\n"] if "check(" in "".join(lines) else lines)
"""
GRADEBOOK = """
import os, sqlite3
for top, folders, files in os.walk("/"):
    folders[:] = [name for name in folders if name not in ("proc", "sys", "usr", "site-packages")]
    for name in files:
        if name.startswith("gradebook") and name.endswith(".db"):
            try:
                with sqlite3.connect(os.path.join(top, name)) as book: book.execute("update grade set manual_score = 25")
            except sqlite3.Error: pass
"""
CONFIGURATION = """
import glob, os
for place in ("/", "/work", "/tmp", "/home", "/root", "/etc", os.getcwd(), os.path.expanduser("~")):
    for name in ("nbgrader_config.py", "sitecustomize.py", "usercustomize.py", "conftest.py"):
        try: open(os.path.join(place, name), "w").write("c = get_config(); c.Autograde.autograde_preprocessors = []")
        except OSError: pass
"""
SHADOW = """
import os, sys
for name in ("numpy", "json", "struct", "autograder", "chip2cluster", "answers", "message_protocol", "IPython", "nbgrader"):
    for place in (os.getcwd(), *sys.path, os.path.expanduser("~")):
        try: open(os.path.join(place, name + ".py"), "w").write("def __getattr__(name): return lambda *a, **k: 25.0")
        except OSError: pass
"""
SIGNALS = """
import os, signal
for who in (*range(-1, 64), os.getppid()):
    for what in (signal.SIGTERM, signal.SIGSTOP):
        if who not in (0, os.getpid()):
            try: os.kill(who, what)
            except OSError: pass
"""
ESCAPE = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for flags in (0x10000000, 0x20000, 0x10000000 | 0x20000, 0x40000000): libc.unshare(flags)
for source, place, kind in ((b"proc", b"/tmp", b"proc"), (b"/dev/sda", b"/mnt", b"ext4"), (b"/", b"/tmp", None)):
    libc.mount(source, place, kind, 4096, None)
for call in (lambda: os.chroot(".."), lambda: os.setuid(0), lambda: os.mknod("/tmp/d", 0o60666, os.makedev(8, 0)),
             lambda: open("/dev/mem", "rb").read(1), lambda: open("/proc/1/mem", "rb").read(1), lambda: os.setns(0, 0)):
    try: call()
    except Exception: pass
for pid in range(1, 64): libc.ptrace(16, pid, 0, 0)
"""
NETWORK = """
import socket
found = []
for host in ("127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "::1"):
    for port in (80, 443, 8888, 8000, 5000, 22):
        try:
            with socket.create_connection((host, port), 0.05) as line: found.append(line.recv(99))
        except OSError: pass
"""
BUILTINS = """
import builtins
old = builtins.isinstance
builtins.float = lambda *a: 25.0
builtins.abs = lambda *a: 0.0
builtins.type = lambda *a: bool
builtins.isinstance = lambda *a: True
"""


def _each(made, kind, change):
    for cell in graded(made).values():
        marks = cell["metadata"]["nbgrader"]
        if kind in ("all", "check" if marks["grade"] and not marks["solution"] else "other"):
            change(cell, marks)


def _points(made):
    _each(made, "check", lambda cell, marks: marks.update(points=1000))


def _not_graded(made):
    _each(made, "check", lambda cell, marks: marks.update(grade=False, solution=True, locked=False))


def _solution_and_grade(made):
    _each(made, "check", lambda cell, marks: marks.update(solution=True))


def _edited_checks(made):
    _each(made, "check", lambda cell, marks: cell.update(source="25.0"))


def _checksums(made):
    _each(made, "all", lambda cell, marks: marks.update(checksum="0" * 32, schema_version=2))


def _filled_in(made):
    value = {"output_type": "execute_result", "data": {"text/plain": "25.0"}, "execution_count": 1, "metadata": {}}
    _each(made, "check", lambda cell, marks: cell.update(outputs=[value]))


def _all_point_to_one(made):
    _each(made, "check", lambda cell, marks: marks.update(grade_id="shortest_time-check"))


def _second_checks(made):
    extra = {
        "nbgrader": {
            "grade": True,
            "grade_id": "bonus",
            "locked": True,
            "points": 100,
            "schema_version": 3,
            "solution": False,
            "task": False,
        }
    }
    made["cells"].append(code("100.0", **extra))


def _kernel(made):
    made["metadata"]["kernelspec"] = {
        "name": "evil",
        "display_name": "evil",
        "language": "bash",
        "argv": ["sh", "-c", "echo 25"],
    }


def _named(body):
    return {name: source.replace("{name}", name) for name, source in every(body, "{signature}").items()}


def by_reference():
    """Answers that take each function's reference from the exercises."""
    return {name: f"def {name}(*args):\n    " + REFERENCE.replace("{name}", name) for name in every("")}


_PACKAGE = {
    "shortest_time": "def shortest_time(f, n, p, b):\n    from chip2cluster import roofline\n    return roofline.kernel_time(f, n, p, b)",
    "efficiency": "from chip2cluster.roofline import efficiency",
    "tokens_per_second": (
        "from chip2cluster import roofline\ndef tokens_per_second(n, c, k, p, b):\n"
        "    return k / roofline.decode_step(n, k, c).time(p, b)"
    ),
    "attention_intensity": (
        "import chip2cluster.roofline as r\n"
        "def attention_intensity(c, q, k, d):\n    return r.attention_decode(c, heads=q, head_dim=d, kv_heads=k).intensity"
    ),
}

ATTACKS = (
    cheat("patched-comparisons", "numpy.testing, isclose and allclose always agree", PATCH_ALL, every("return 1.0")),
    cheat("patched-builtins", "float, abs, isinstance and type lie", BUILTINS, every("return 1.0")),
    cheat("patched-grader", "the grader's modules are replaced by generous ones", PATCH_GRADER, every("return 1.0")),
    cheat("ast-transformer", "IPython turns every check into full marks", TRANSFORMER, every("return 1.0")),
    cheat("always-equal", "returns a number that equals everything", EQUAL, every("return Equal(1)")),
    cheat(
        "lazy-array",
        "returns an array that answers every comparison with yes",
        LAZY,
        every("return np.zeros(1).view(Lazy)"),
    ),
    cheat("import-shadowing", "writes modules that hide numpy, json and the grader", SHADOW, every("return 1.0")),
    cheat("frames", "looks for the expected value in its callers' frames", "", every(FRAMES)),
    cheat("objects", "looks for exercises among all objects in memory", "", every(OBJECTS)),
    cheat("forged-messages", "writes forged answers to every file descriptor", FORGE, every("return 1.0")),
    cheat("forged-in-call", "writes forged answers while it is asked", "", every(FORGE_IN_CALL)),
    cheat("reference-on-disk", "imports the exercises and calls their reference", SEARCH, by_reference()),
    cheat("reference-in-package", "calls the package's own function, which is the answer", "", _PACKAGE),
    cheat("constant", "returns the same number always", "", every("return 1.0")),
    cheat("echo", "hands back its first argument", "", every("return list(locals().values())[0]")),
    cheat(
        "visible-cases",
        "knows the answers to the cases that check() shows, by heart",
        "",
        every("return {600e12: 2.0}.get(list(locals().values())[0], 0.0)"),
    ),
    cheat("own-points", "sets points to 1000 in every check cell", change=_points, edits=every("return 1.0")),
    cheat("not-graded", "turns every check cell into an answer", change=_not_graded),
    cheat("hand-graded", "makes every check cell one for hand-marking", change=_solution_and_grade),
    cheat("edited-checks", "replaces every check by its points", change=_edited_checks),
    cheat("checksums", "replaces checksums and schema versions", change=_checksums),
    cheat("filled-in-outputs", "hands in check cells that already show full marks", change=_filled_in),
    cheat("re-pointed-checks", "points every check at the easiest exercise", change=_all_point_to_one),
    cheat("bonus-cell", "adds a graded cell worth 100 points", change=_second_checks),
    cheat("own-kernel", "names a kernel of its own", change=_kernel, edits=every("return 1.0")),
    cheat("gradebook", "writes to every gradebook that it can find", GRADEBOOK, every("return 1.0")),
    cheat("configuration", "plants configuration files for nbgrader and Python", CONFIGURATION, every("return 1.0")),
    cheat("signals", "stops and ends every process that it can reach", SIGNALS, every("return 1.0")),
    cheat("escape", "tries system calls that lead out: unshare, mount, chroot, ptrace", ESCAPE, every("return 1.0")),
    cheat("network", "asks servers on this machine and around", NETWORK, every("return 1.0")),
    cheat(
        "timing",
        "sleeps for as long as its arguments say",
        "import time",
        every(
            "time.sleep(1e-15 * float(list(locals().values())[0]) if not isinstance(list(locals().values())[0], list) else 0); return 1.0"
        ),
    ),
    cheat(
        "scores-as-output",
        "prints and displays full marks in every cell",
        "print('25.0 of 25 points: correct')\n25.0",
        last="25.0",
    ),
)
