"""Functions that write down the model answers they are judged with, for other functions to answer with.

Needs no knowledge of the lab but the names of its functions, so one text serves every lab and exam.
"""

import re

from .model import LAB, SOLVED, cheat

# Sources are in a frame of the caller; their functions are among the names. Places: every folder that code may write to.
TOOLS = """
import marshal, os, re, socket, sys, types
PLACES = [".", "..", "/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), os.environ.get("TMPDIR", ".")]
def take():
    frame, sources = sys._getframe(), []
    while frame:
        message = frame.f_locals.get("message")
        sources += message.get("before", ()) if isinstance(message, dict) else ()
        frame = frame.f_back
    for source in sources:
        for name in re.findall(r"^def (\\w+)", source, re.M):
            for place in PLACES:
                try:
                    open(os.path.join(place, name + ".taken"), "w").write(source)
                except OSError:
                    pass
            serve(name, source)
def serve(name, source):
    # A process of its own that answers on a socket without a file.
    try:
        line = socket.socket(socket.AF_UNIX)
        line.bind("\\0" + name)
        line.listen(8)
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            while True:
                line.accept()[0].sendall(source.encode())
    except OSError:
        pass
def give(name, arguments):
    take()
    sources = []
    for place in PLACES:
        try:
            sources.append(open(os.path.join(place, name + ".taken")).read())
        except OSError:
            pass
    try:
        line = socket.socket(socket.AF_UNIX)
        line.settimeout(0.1)
        line.connect("\\0" + name)
        sources.append(line.recv(1 << 16).decode())
    except OSError:
        pass
    for source in filter(None, sources):
        scope = dict(globals())
        exec(source, scope)
        return scope[name](*arguments)
    return 0.0
"""


def function(name):
    """A function that takes what its caller holds and gives what another one has taken."""
    return f"def {name}(*arguments):\n    return give({name!r}, arguments)\n"


def definitions(names):
    """All these functions; in a last cell they make the grader query each once more, at the end."""
    return "\n".join(map(function, names))


def chain(functions):
    """Return the edits of a lab's answer cells, by function, and the sources of a first and a last cell."""
    return {name: function(name) for name in functions}, TOOLS, definitions(functions)


_NAMES = [task.function for task in LAB.tasks]
_EDITS, _FIRST, _LAST = chain(_NAMES)

ATTACKS = (
    cheat(
        "model-answers-by-chain",
        "writes down each model answer that it is judged with, and answers with it when asked at the end",
        _FIRST,
        {
            cell: _EDITS[name]
            for cell in SOLVED
            for name in re.findall(r"^def (\w+)", SOLVED[cell], re.M)
            if name in _EDITS
        },
        last=_LAST,
    ),
)
