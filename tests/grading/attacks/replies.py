"""Submissions that answer in the grader's own language, or choose its words by what they are asked."""

from .model import cheat, every, failing

# The socket to the grader and the nonce of the query are in a frame of the function that called this one.
_FORGE = """import json, struct, sys
    seen = sys._getframe().f_back
    while "message" not in seen.f_locals: seen = seen.f_back
    seen = seen.f_locals
    reply = REPLY
    body = json.dumps({"n": seen["message"]["n"], "number": seen["number"], **reply}).encode()
    seen["line"].sendall(struct.pack(">I", len(body)) + body)
    return 1.0"""


def forged(reply):
    """Lines of a function that send this reply, an expression, in the function's own name."""
    return _FORGE.replace("REPLY", reply)


def _each(bodies):
    """One of the bodies for each function of the lab, in turn."""
    names = list(every(""))
    return {name: every(bodies[number % len(bodies)])[name] for number, name in enumerate(names)}


FORGED = [
    """{"reply": "value", "value": {"array": ["<U0", [2_000_000_000], ""]}}""",
    """{"reply": "value", "value": {"dict": [[k * (2**61 - 1), 0] for k in range(8000)]}}""",
    """{"reply": "value", "value": json.loads("[" * 300 + "]" * 300)}""",
    """{"slow": "x"}""",
    """{"reply": "slow", "value": {}}""",
    """{"reply": "raised", "type": "E" * 200_000, "line": [10**300, -1]}""",
]
_FIRST = "float(next(v for v in locals().values() if isinstance(v, (int, float))))"
WORDS = [
    f"from autograder.sandbox.inside.stub_modules import NotAvailableInGrading; raise NotAvailableInGrading('chip2cluster.' + repr({_FIRST}))",
    f"import numpy as np; return np.zeros((int({_FIRST}), 0, 1))",
    f"import numpy as np; return np.array(['x' * (int({_FIRST}) % 997)])",
    f"return {_FIRST} * 1e3",
]
POOL = "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(abs, 1).result()"
USES = "def efficiency(*arguments):\n    return pool.submit(max, arguments).result()"

ATTACKS = (
    cheat(
        "forged-replies",
        "sends replies of its own that are huge, deep, or the grader's words",
        "",
        _each([forged(reply) for reply in FORGED]),
    ),
    cheat("leak-by-words", "picks shapes, widths, names and ratios by the hidden inputs", "", _each(WORDS)),
    failing(
        "pool-of-another-cell",
        "asks threads that another cell has made",
        POOL,
        {"efficiency": USES},
        lost=("efficiency",),
        status="graded",
        slow=True,
    ),
)
