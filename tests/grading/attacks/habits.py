"""What the grader does so that honest habits keep their marks, turned against it."""

from .model import FULL, SOLVED, Attack, every, notebook, write

# Its first copy keeps what it is asked and claims to be a stub; the one of the end replays it.
REMEMBER = """
def keep(*asked):
    with open("/tmp/seen", "a") as file:
        print(asked, file=file)
    raise NotImplementedError

for name in "shortest_time attention_intensity largest_batch tokens_per_second efficiency own_rate rank_chips".split():
    globals()[name] = keep
"""
REPLAY = """
def replay(*asked):
    import re
    try:
        seen = open("/tmp/seen").read()
    except OSError:
        seen = ""
    return max([float(n) for n in re.findall(r"[0-9.]+(?:e[+-]?[0-9]+)?", seen) if n != "."], default=1.0)

for name in "shortest_time attention_intensity largest_batch tokens_per_second efficiency own_rate rank_chips".split():
    globals()[name] = replay
"""
PLANTED = """
import builtins, sys
class Right(float):
    __eq__ = __le__ = __ge__ = lambda *_: True
    __hash__ = float.__hash__
for name in "shortest_time attention_intensity largest_batch tokens_per_second efficiency own_rate rank_chips".split():
    setattr(builtins, name, lambda *_: Right(1))
def __getattr__(name):
    return lambda *_, **__: Right(1)
"""
NAMES = [
    "autograder",
    "chip2cluster",
    "numpy",
    "json",
    "inspect",
    "traceback",
    "re",
    "socket",
    "random",
    "encodings",
    "sitecustomize",
    "conftest",
]


def _planted(folder):
    write(folder, notebook(first="\n".join(f"try:\n    import {name}\nexcept Exception:\n    pass" for name in NAMES)))
    for name in NAMES:
        (folder / f"{name}.py").write_text(PLANTED)


def _many(folder):
    write(folder, notebook(base=SOLVED))
    for place in range(40):
        (folder / f"tables{place}").mkdir()
        for number in range(40):
            (folder / f"tables{place}" / f"{number}.csv").write_bytes(b"1," * (1 << 14))


def _asked_twice(folder):
    write(folder, notebook(every("raise NotImplementedError"), first=REMEMBER, last=REPLAY))


ATTACKS = (
    Attack("planted-modules", "modules beside the notebook take the names of the grader's own", _planted),
    Attack("asked-twice", "what is asked at a check is kept for the question at the end", _asked_twice),
    Attack("many-tables", "1,600 tables beside a solved notebook", _many, most=FULL, least=FULL, status="graded"),
)
