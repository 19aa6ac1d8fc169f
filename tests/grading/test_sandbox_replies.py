"""Text from a sandbox reaches a student only if it is in a fixed list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.checking.outcome import OutcomeKind
from autograder.checking.verdict import format_inline
from autograder.grading.sandbox_replies import trusted_outcome
from autograder.sandbox import CallReply, NoReply
from autograder.sandbox.inside import message_protocol
from autograder.sandbox.inside.reply_codes import ReplyCode
from chip2cluster.exercise.answers import UnusableReason

SECRET = "4711.0815"
SOURCES = {3: "first = 1\nreturn `x` + 2\n"}


def words(answered):
    return trusted_outcome(answered, "f", ["a", "b"], SOURCES)


@pytest.mark.parametrize("code", [*ReplyCode, *NoReply])
@pytest.mark.parametrize("reason", [None, *UnusableReason])
def test_student_chosen_names_are_not_repeated(code, reason):
    value = 5.0 if code is NoReply.SLOW else {SECRET: SECRET}
    outcome = words(CallReply(code, value, name=SECRET, reason=reason, line=(99, 1)))
    assert SECRET not in outcome.text + outcome.brief
    assert outcome.text or outcome.kind is OutcomeKind.UNWRITTEN


@pytest.mark.parametrize(
    "answered, text",
    [
        (CallReply(ReplyCode.RAISED, name="ZeroDivisionError"), "ZeroDivisionError."),
        (CallReply(ReplyCode.UNUSABLE, name="dict", reason=UnusableReason.OBJECT), "an object of type dict"),
        (
            CallReply(ReplyCode.UNUSABLE, name="complex128", reason=UnusableReason.OTHER_ARRAY),
            "an array of complex128, not of",
        ),
        (CallReply(ReplyCode.UNUSABLE, reason=UnusableReason.NOTHING), "Is a `return` missing?"),
        (CallReply(ReplyCode.PACKAGE, name="chip2cluster.roofline.ridge_point"), "chip2cluster.roofline"),
        (CallReply(ReplyCode.ARITY), "must take 2 arguments, in this order: a, b"),
        (CallReply(NoReply.SLOW, 5.0), "Still running after 5 s"),
        (CallReply(NoReply.SLOW, 5.0), "A pool of threads or processes that another cell created"),
    ],
)
def test_public_names_appear_in_messages(answered, text):
    assert text in words(answered).text


@pytest.mark.parametrize(
    "name, part",
    [
        ("chip2cluster.roofline.ridge_point.x", "chip2cluster.roofline"),
        ("chip2cluster.roofline.x4711", "chip2cluster.roofline"),
        ("chip2cluster.roofline", "chip2cluster.roofline"),
        ("chip2cluster.x4711", "the package"),
        ("chip2cluster.roofline\n.x", "the package"),
        ("os.path", "the package"),
        ("", "the package"),
    ],
)
def test_only_existing_package_parts_are_named(name, part):
    assert words(CallReply(ReplyCode.PACKAGE, name=name)).text == part


def test_backtick_in_a_quoted_line_does_not_end_the_code():
    text = words(CallReply(ReplyCode.RAISED, name="TypeError", line=(3, 2))).text
    assert format_inline(text) == "TypeError in the line <code>return &#x27;x&#x27; + 2</code>."


@pytest.mark.parametrize(
    "message",
    [
        {},
        *({"reply": code, "value": 5.0} for code in NoReply),
        *({code: 5.0} for code in NoReply),
        {"reply": "value"},
        {"reply": ["value"], "value": 1},
        {"reply": "package", "name": 7},
    ],
)
def test_sandbox_cannot_send_the_graders_codes(message):
    with pytest.raises(message_protocol.Malformed):
        CallReply.read(message)


@given(
    st.dictionaries(
        st.sampled_from(["reply", "value", "type", "name", "reason", "line"]),
        st.sampled_from([*ReplyCode, *NoReply, *UnusableReason, "x"])
        | st.integers()
        | st.lists(st.integers())
        | st.none(),
    )
)
def test_any_reply_is_read_or_refused(message):
    try:
        answered = CallReply.read(message)
    except message_protocol.Malformed:
        return
    assert isinstance(answered.code, ReplyCode) and isinstance(words(answered).kind, OutcomeKind)
