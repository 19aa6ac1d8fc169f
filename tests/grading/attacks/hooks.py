"""Code that waits in Python's own hooks, sockets and namespaces for an answer to come past."""

from .model import LAB, cheat, every

WATCH = """
import sys, threading
seen = []
def watch(frame, event, value):
    for name in ("expected", "reference", "before", "message", "reply"):
        thing = frame.f_locals.get(name)
        if thing is not None: seen.append(thing)
    return watch
for place in (sys, threading):
    place.setprofile(watch); place.settrace(watch)
"""
WATCHED = """import sys
    sys.setprofile(watch); sys.settrace(watch)
    for thing in seen:
        for number in (thing if isinstance(thing, (list, tuple)) else thing.values() if isinstance(thing, dict) else [thing]):
            if isinstance(number, float): return number
    return 1.0"""
MANY = """
import sys
import autograder.sandbox.inside.message_protocol as protocol
first = protocol.send
def send(line, message):
    if message.get("reply") == "value":
        for power in range(-20, 60):
            for lead in (1.0, 2.0, 5.0):
                first(line, {**message, "value": lead * 10.0 ** power})
    first(line, message)
protocol.send = send
"""
PACKED = """
import autograder.sandbox.inside.message_protocol as protocol, autograder.sandbox.inside.query_runner as runner
anything = {"array": ["<f8", [0], ""]}
protocol.pack = lambda value: anything
runner.normalize = lambda value: value
runner._call = lambda *_: {"reply": "value", "value": anything, "expected": anything, "correct": True, "score": 25}
"""
LINES = """
import gc, json, os, select, socket, struct, time
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    lines = []
    for number in range(3, 256):
        try: lines.append(socket.socket(fileno=os.dup(number)))
        except OSError: pass
    until = time.monotonic() + 20
    while time.monotonic() < until and lines:
        for line in select.select(lines, [], [], 1)[0]:
            try:
                told = line.recv(1 << 16, socket.MSG_PEEK)
                if b'"calls"' not in told:
                    if not told: lines.remove(line)
                    time.sleep(0.001)
                    continue
                asked = json.loads(line.recv(len(told))[4:])
                for number in range(len(asked["calls"])):
                    body = json.dumps({"reply": "value", "value": 1.0, "n": asked["n"], "number": number}).encode()
                    line.sendall(struct.pack(">I", len(body)) + body)
            except (OSError, ValueError): lines.remove(line)
    os._exit(0)
"""
SOURCES = """import gc, inspect, linecache, sys, types
    found = [text for entry in linecache.cache.values() if isinstance(entry, tuple) and len(entry) > 2 for text in [chr(10).join(map(str, entry[2]))]]
    for thing in gc.get_objects():
        if isinstance(thing, types.CodeType) and thing.co_name == "{name}" and "cell" not in thing.co_filename:
            return types.FunctionType(thing, globals())(*args)
        if isinstance(thing, str) and "def {name}(" in thing and "gc.get" not in thing: found.append(thing)
    for text in found:
        if "def {name}(" in text and "linecache" not in text:
            scope = {{}}; exec(text[text.index("def {name}("):], scope); return scope["{name}"](*args)
    return 0.0"""
NAMESPACE = """
kept = {}
class Names(dict):
    def __setitem__(self, name, value):
        if callable(value) and name in self: kept[name] = value
        dict.__setitem__(self, name, value)
    def __contains__(self, name): return True
    def __missing__(self, name): return lambda *arguments: 1.0
    def get(self, name, default=None): return kept.get(name, dict.get(self, name, default))
shell = get_ipython()
shell.user_ns = Names(shell.user_ns)
"""
TRAP = """
import builtins, os
plain = builtins.compile, builtins.exec
texts = []
def compile(source, *more, **named):
    if isinstance(source, str) and "def " in source:
        texts.append(source)
        for place in (".", "/tmp", "/dev/shm"):
            try: open(f"{place}/taken-{os.getpid()}", "w").write(source)
            except OSError: pass
    return plain[0](source, *more, **named)
builtins.compile = compile
def taken(name, arguments):
    import glob
    found = [*texts, *(open(path).read() for place in (".", "/tmp", "/dev/shm") for path in glob.glob(place + "/taken-*"))]
    for source in found:
        if f"def {name}(" in source and "taken(" not in source:
            scope = dict(globals()); plain[1](source, scope); return scope[name](*arguments)
    return 0.0
"""
HOOKS = """
import atexit, builtins, gc, sys, threading, warnings, weakref
def full(*_, **__): return 25.0
sys.displayhook = sys.excepthook = sys.unraisablehook = threading.excepthook = full
warnings.showwarning = warnings.formatwarning = full
atexit.register(full); gc.callbacks.append(full)
get_ipython().events.register("post_run_cell", full)
get_ipython().display_formatter.formatters["text/plain"].for_type(float, lambda number, printer, cycle: printer.text("25.0"))
class Late(float):
    def __del__(self):
        import os, struct
        body = b'{"reply": "value", "value": 25.0, "score": 25}'
        for number in range(3, 64):
            try: os.write(number, struct.pack(">I", len(body)) + body)
            except OSError: pass
"""
LIKE = """
import fractions, decimal, numpy as np
class Fits:
    # One object for every question: a number, an array, text, a truth value, and equal to anything.
    __class__ = float
    dtype, ndim, shape, size = np.dtype(float), 0, (), 1
    def __float__(self): return 1.0
    def __array__(self, *_, **__): return np.ones(3)
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __len__(self): return 3
    def __getitem__(self, place): return 1.0
    def __iter__(self): return iter([1.0] * 3)
    def item(self): return 1.0
    def ravel(self): return self
    def tolist(self): return [1.0] * 3
kinds = [Fits(), np.ma.masked_all(3), np.matrix([[1.0]]), np.float64(1).view(), np.void(b"1"), fractions.Fraction(1), decimal.Decimal("NaN"),
         (one for one in [1.0]), type("Number", (float,), {"__eq__": lambda *_: True})(1), type("Name", (str,), {"__eq__": lambda *_: True, "__hash__": str.__hash__})("x")]
"""
PLACES = """import os
    # The answers that check() has shown, by the number of the call instead of by the inputs.
    number = len([name for name in os.listdir(".") if name.isdigit()])
    open(str(number), "w").close()
    return [2.0, 0.5, 0.25, 0.1][number % 4]"""
GUESSES = """import os, sys
    # Another guess at the check, at the end, and beside a model answer.
    late, helped = "last_cell" in globals(), any("before" in getattr(one, "__code__", sys._getframe().f_code).co_filename for one in list(globals().values()))
    numbers = [one for one in locals().values() if isinstance(one, (int, float)) and not isinstance(one, bool)] or [1.0]
    return float([sum(numbers), max(numbers), min(numbers), numbers[0] / numbers[-1]][2 * late + helped])"""


def _named(body):
    return {task.function: f"def {task.function}(*args):\n    {body.format(name=task.function)}" for task in LAB.tasks}


ATTACKS = (
    cheat(
        "hooks-of-the-debugger",
        "watches every call for expected values through profile and trace hooks",
        WATCH,
        every(WATCHED),
    ),
    cheat("many-replies", "replies 240 times to each call, one of which may be right", MANY, every("return 1.0")),
    cheat("replies-of-no-size", "packs an array without items for every answer", PACKED, every("return 1.0")),
    cheat(
        "listening-daemon",
        "leaves a process that reads and answers the questions to all functions",
        LINES,
        every("return 1.0"),
    ),
    cheat(
        "sources-in-memory",
        "looks for the model answer in linecache, code objects and texts in memory",
        "",
        _named(SOURCES),
    ),
    cheat(
        "lying-namespace",
        "makes the notebook's names a dict that has every name and keeps model answers",
        NAMESPACE,
        every("return 1.0"),
        last="1",
    ),
    cheat(
        "trapped-compile",
        "keeps every source that is compiled beside it, model answers too",
        TRAP,
        _named('return taken("{name}", args)'),
    ),
    cheat(
        "hooks-of-python",
        "full marks from display, exit, error, garbage and warning hooks, and from __del__ after the reply",
        HOOKS,
        every("return Late(25)"),
    ),
    cheat(
        "one-fits-all",
        "returns look-alikes of every type of answer: masked arrays, subclasses, generators, fractions",
        LIKE,
        every("return kinds[__import__('os').getpid() % len(kinds)]"),
    ),
    cheat(
        "answers-by-place", "returns the answers that check() has shown by the number of the call", "", every(PLACES)
    ),
    cheat(
        "several-guesses",
        "guesses anew at the check, at the end, and beside a model answer",
        "",
        every(GUESSES),
        last="last_cell = 1",
    ),
)
