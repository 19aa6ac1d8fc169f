"""Any bytes from a sandbox take bounded time and memory, and end in a verdict."""

import base64
import io
import json
import math
import socket
import struct
import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from autograder.checking.verdict import Verdict
from autograder.grading.outputs import safe_outputs
from autograder.sandbox import CallReply, CellStatus, CodeCell, Limits, NoReply, Query, Sandbox
from autograder.sandbox.inside import message_protocol
from autograder.sandbox.inside.reply_codes import ReplyCode
from chip2cluster.exercise.answers import MOST_ITEMS, UnusableReason
from tests.grading.attacks.model import BARE
from tests.grading.attacks.replies import FORGED, forged
from tests.grading.fake_sandbox import answered, frame, framed, judged, one_of_each_kind, ran, session

# Deferred until a test needs them, because cases of every exercise are drawn.
kinds = st.deferred(lambda: st.sampled_from(one_of_each_kind()))
NPY = io.BytesIO()
np.save(NPY, np.arange(3.0))


@pytest.fixture(scope="module")
def opened():
    with session() as opened:
        yield opened


# --- messages to the sandbox ----------------------------------------------------------------------

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
several = st.sampled_from([np.float64, np.int64, np.float32, np.bool_, np.dtype("U5"), np.dtype(">i4")])


@given(plain)
def test_pack_keeps_plain_values(value):
    crossed = message_protocol.unpack(json.loads(json.dumps(message_protocol.pack(value))))
    assert crossed == value and type(crossed) is type(value)


@given(arrays.arrays(several, arrays.array_shapes(min_dims=0, min_side=0, max_side=5)), st.booleans())
def test_pack_keeps_arrays(array, turned):
    array = array.T if turned else array
    crossed = message_protocol.unpack(json.loads(json.dumps(message_protocol.pack(array))))
    assert (crossed.dtype, crossed.shape) == (array.dtype, array.shape) and crossed.flags.writeable
    assert np.array_equal(crossed, array, equal_nan=array.dtype.kind == "f")


@pytest.mark.parametrize("array", [np.array([{}]), np.zeros(1, [("a", float)]), np.array([1j]), np.array([b"x"])])
def test_pack_refuses_other_arrays(array):
    with pytest.raises(TypeError, match="cannot be sent"):
        message_protocol.pack(array)


# --- messages from the sandbox -------------------------------------------------------------------------

letters = st.text(st.characters(exclude_categories=()), max_size=8)
packed = st.fixed_dictionaries(
    {
        "array": st.tuples(
            st.sampled_from(["<f8", ">f8", "<U0", "<U9", "<i8", "|O", "f8,f8", "<f88888888"]) | letters,
            st.lists(st.integers(-2, 9) | st.sampled_from([2**31, 2**63, 10**30]) | st.floats(), max_size=70),
            st.binary(max_size=80).map(lambda data: base64.b64encode(data).decode()) | letters,
        )
        | st.just(base64.b64encode(NPY.getvalue()).decode())
    }
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | letters | st.sampled_from([10**300, 10**399]) | packed,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["array", "scalar", "tuple", "dict", "x"]) | letters, inner, max_size=3)
    ),
    max_leaves=10,
)
replies = st.dictionaries(
    st.sampled_from(["value", "type", "name", "reason", "line", "reply", "slow", "died", "ok"]), values, max_size=4
)
codes = st.sampled_from([*ReplyCode, *NoReply, "x", None, 1])
honest = st.sampled_from(
    [
        {"reply": ReplyCode.VALUE, "value": message_protocol.pack(np.arange(6.0).reshape(2, 3))},
        {"reply": ReplyCode.VALUE, "value": 2.5},
        {"reply": ReplyCode.VALUE, "value": ["b", "a"]},
        {"reply": ReplyCode.VALUE, "value": "text"},
        {"reply": ReplyCode.RAISED, "type": "ValueError", "line": [3, 1]},
        {"reply": ReplyCode.UNUSABLE, "reason": UnusableReason.OBJECT, "type": "dict"},
    ]
)


def _bounded(opened, sent, exercise):
    """Do everything that the grader does with these bytes: it ends in verdicts without points."""
    answers = answered(opened, sent, calls=2)
    assert len(answers) == 2 and all(isinstance(one, CallReply) for one in answers)
    for hidden in (True, False):
        verdict = judged(exercise, answers, hidden=hidden)
        assert isinstance(verdict, Verdict) and verdict.message and repr(verdict) and json.dumps(verdict.message)
    return answers


@given(codes, replies, kinds)
def test_any_reply_ends_in_a_verdict(opened, code, reply, exercise):
    _bounded(opened, frame({"reply": code, **reply}), exercise)


@given(values, kinds)
def test_any_value_ends_in_a_verdict(opened, value, exercise):
    reply = {"reply": ReplyCode.VALUE, "value": value}
    _bounded(opened, frame(reply) + frame(reply, 1), exercise)


@given(st.binary(max_size=60) | values.map(lambda value: framed(json.dumps(value).encode())))
def test_any_bytes_end_in_a_verdict(opened, sent):
    _bounded(opened, sent, one_of_each_kind()[0])


@given(honest, st.data())
def test_damaged_reply_ends_in_a_verdict(opened, reply, data):
    sent = bytearray(frame(reply) + frame(reply, 1))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(sent) - 1))
        match data.draw(st.sampled_from(["flip", "cut", "double", "length"])):
            case "flip":
                sent[place] ^= 1 << data.draw(st.integers(0, 7))
            case "cut":
                del sent[place + 1 :]
            case "double":
                sent[place:place] = sent[place : place + 9]
            case "length":
                sent[:4] = struct.pack(">I", data.draw(st.integers(0, 2**32 - 1)))[: len(sent[:4])]
    _bounded(opened, bytes(sent), data.draw(kinds))


outputs = st.lists(
    st.fixed_dictionaries(
        {"output_type": st.sampled_from(["stream", "error", "display_data", "execute_result", "x"])},
        optional={name: values for name in ("text", "data", "ename", "evalue", "traceback", "name")},
    )
    | values,
    max_size=4,
)


@given(st.binary(max_size=40) | st.builds(lambda ok, shown: frame({"ok": ok, "outputs": shown}), values, outputs))
def test_any_reported_output_is_kept_or_dropped(sent):
    ended = ran(sent)
    assert isinstance(ended.status, CellStatus)
    json.dumps(safe_outputs(ended.outputs, 1000))


def _value(text):
    """Return a reply whose value is this JSON."""
    return frame({"reply": "value", "value": "HERE"}).replace(b'"HERE"', text)[4:]


HUGE = {
    "text of no width": _value(b'{"array": ["<U0", [2000000000], ""]}'),
    "more bytes than there are": _value(b'{"array": ["<f8", [1000000000000], "AAAAAAAAAAA="]}'),
    "a file of npy": _value(json.dumps({"array": base64.b64encode(NPY.getvalue()).decode()}).encode()),
    "keys that hash alike": _value(
        json.dumps({"dict": [[k * (2**61 - 1), 0] for k in range(9_000)]}, separators=(",", ":")).encode()
    ),
    "no axis has an end": _value(json.dumps({"array": ["<f8", [2**62] * 64, ""]}).encode()),
    "lists in lists": _value(b"[" * 700 + b"]" * 700),
    "only beginnings": _value(b"[" * 200_000),
    "millions of lists": _value(b"[" + b"[]," * 80_000 + b"[]]"),
    "millions of numbers": _value(b"[" + b"1," * 120_000 + b"1]"),
    "many objects": _value(b"[" + b'{"":0},' * 35_000 + b"0]"),
    "a number of many digits": _value(b"9" * 250_000),
    "many numbers of many digits": _value(b"[" + b",".join([b"9" * 4000] * 60) + b"]"),
    "many words": _value(b"[" + b'"",' * 49_000 + b'""]'),
    "text of wide letters": _value(b'"' + b"\\ud83d\\ude00" * 20_000 + b'"'),
    "half a letter": _value(b'"' + b"\\ud83d" * 9 + b'"'),
    "no UTF-8": _value(b'"\xff\xfe"'),
    "a long kind of error": json.dumps({"reply": "raised", "type": "E" * 250_000}).encode(),
}


@pytest.mark.parametrize("body", HUGE.values(), ids=HUGE)
def test_huge_reply_takes_memory_of_its_bytes_only(opened, body):
    body = body.replace(b'{"reply": "raised"', frame({"reply": "raised"})[4:-1])
    tracemalloc.start()
    try:
        _bounded(opened, framed(body), one_of_each_kind()[0])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1e6 + 12 * len(body)


@pytest.mark.parametrize("length", [Limits().answer_bytes + 1, 2**32 - 1])
def test_oversized_message_is_not_awaited(opened, length):
    assert answered(opened, struct.pack(">I", length))[0].code is NoReply.GARBLED


@pytest.mark.parametrize(
    "body", [b"[1]", b"{]", b'{"outputs": ' + b"[" * 100 + b"]" * 100 + b"}", b'{"line": [1' + b"0" * 400 + b"]}"]
)
def test_malformed_message_is_refused_on_every_socket(body):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(framed(body))
        with pytest.raises(message_protocol.Malformed):
            message_protocol.receive(ours, 1000)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1.0],
        [["a"]],
        {},
        {"dict": []},
        {"tuple": []},
        {"scalar": ["<f8", [], "AAAAAAAAAAA="]},
        {"array": ["<f8", [1], "AAAAAAAAAAA="], "more": 1},
        {"array": ["<f8", [1], "AAAAAAAAAAAAAAAAAAAAAA=="]},
        {"array": ["<i8", [1], "AAAAAAAAAAA="]},
        {"array": ["<U1", [1], "AAAAAA=="]},
        {"array": ["<f8", [1] * 9, "AAAAAAAAAAA="]},
        {"array": ["<f8", [True], "AAAAAAAAAAA="]},
        {"array": ["<f8", [-1, -1], "AAAAAAAAAAA="]},
    ],
)
def test_unpack_answer_refuses_other_types(value):
    with pytest.raises(message_protocol.Malformed):
        message_protocol.unpack_answer(value)


@pytest.mark.parametrize("fault", [RecursionError, MemoryError, TypeError, ValueError, KeyError])
def test_failing_reply_loses_only_itself(opened, monkeypatch, fault):
    def fail(_):
        raise fault

    monkeypatch.setattr(message_protocol, "unpack_answer", fail)
    assert answered(opened, frame({"reply": ReplyCode.VALUE, "value": 1.0}))[0].code is NoReply.GARBLED


@given(values)
@example({"dict": [""]})
@example({"dict": [[{"dict": []}, 1]]})
def test_unpack_accepts_or_refuses_anything(value):
    for read in (message_protocol.unpack, message_protocol.unpack_answer):
        with suppress(message_protocol.Malformed):
            read(value)


def test_largest_answers_are_transferred():
    """The largest answer of every type, in the characters that take most bytes."""
    most, limit = MOST_ITEMS, Limits().answer_bytes
    for value in (np.full(most, math.pi), "\U0001f600" * (most - 1), [","] * (most // 2), [""] * most, np.nan, -np.inf):
        assert len(frame({"reply": ReplyCode.VALUE, "value": message_protocol.pack(value)})) < limit
    with session() as opened:
        for value in (np.full((64, most // 64), math.pi), [","] * (most // 2)):
            (one,) = answered(opened, frame({"reply": ReplyCode.VALUE, "value": message_protocol.pack(value)}))
            assert one.code is ReplyCode.VALUE and np.array_equal(one.value, value)


# --- from within a call, which can reach the socket and the nonce ------------------------


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(BARE) as sandbox:
        yield sandbox


@pytest.mark.sandbox
def test_forged_replies_do_not_disturb_the_next_query(sandbox):
    *garbled, error = FORGED
    codes = dict.fromkeys(garbled, NoReply.GARBLED) | {
        error: ReplyCode.RAISED,
        '{"reply": "value", "value": 7.0}': "value",
    }
    steps = [Query("f", [[1.0]]), CodeCell("def f(x): return 2 * x"), Query("f", [[1.0]])]
    for reply, code in codes.items():
        _, (one,), _, (other,) = sandbox.run([CodeCell(f"def f(x):\n    {forged(reply)}"), *steps])
        assert one.code == code, reply
        assert other.value == 2.0


@pytest.mark.sandbox
def test_oversized_answer_is_explained(sandbox):
    source = "import numpy as np\ndef f(x): return [np.zeros((999, 999)), np.broadcast_to(1.0, 10**12), 'x' * 10**6][x]"
    _, answers = sandbox.run([CodeCell(source), Query("f", [[0], [1], [2]])])
    assert [answer.reason for answer in answers] == [UnusableReason.TOO_MANY] * 3


@pytest.mark.sandbox
def test_error_in_a_helper_names_the_functions_own_cell(sandbox):
    cells = [CodeCell("def g(x): return 1 / x"), CodeCell("def f(x):\n    y = x\n    return g(y)")]
    *_, (one,) = sandbox.run([*cells, Query("f", [[0.0]])])
    assert (one.name, one.line) == ("ZeroDivisionError", (1, 3))
