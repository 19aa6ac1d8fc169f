"""A box whose every word a test makes up, for the grader's end of the line."""

import json
import os
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from unittest.mock import patch

from autograder.answers import plain
from autograder.box import Limits, Question
from autograder.box.session import Frozen, Session
from autograder.exercises import exercises
from autograder.grading.trusted import trusted
from autograder.judge import decide

NONCE = "0123456789abcdef"
SEED = 5


def one_of_each_kind():
    """The first exercise for each kind of answer: a number, a truth value, text, names, an array."""
    found = {}
    for exercise in exercises().values():
        if not exercise.constants:
            found.setdefault(type(plain(exercise.expected(exercise.cases(SEED)[0]))), exercise)
    return list(found.values())


class Hostile:
    """Stands for a box that a session can be opened in; it does nothing."""

    limits, pid, number = Limits(), os.getpid(), 0

    def __init__(self, control):
        self.control = control

    def scratch(self, name):
        return name


@contextmanager
def session():
    """A session with nobody at the other end."""
    control, end = socket.socketpair()
    with control, end, patch("autograder.box.session.secrets.token_hex", lambda *_: NONCE):
        opened = Session(Hostile(control), 0, {})
        opened.end_cells()
        _, fds, *_ = socket.recv_fds(end, 1 << 16, 8)
        for fd in fds:
            os.close(fd)
        yield opened
        opened.close()


def frame(message, number=0):
    """A reply to the call of this number, as it goes over the line."""
    return framed(json.dumps({"n": NONCE, "number": number, **message}).encode())


def framed(body):
    return struct.pack(">I", len(body)) + body


def answered(opened, sent, calls=1):
    """What the grader makes of these bytes, the line being closed after them."""
    ours, theirs = socket.socketpair()

    def play():
        with suppress(OSError):
            theirs.sendall(sent)
        theirs.shutdown(socket.SHUT_WR)

    player = threading.Thread(target=play)
    player.start()
    answers = opened.ask(Frozen(Question("f", [[1.0]] * calls), ours, True))
    player.join()
    theirs.close()
    return answers


def judged(exercise, answers, sources=None, hidden=True):
    """The verdict where each case got one of these answers in turn."""
    cases = exercise.cases(SEED)
    names = list(cases[0].inputs)
    outcomes = [trusted(answers[number % len(answers)], "f", names, sources or {}) for number in range(len(cases))]
    return decide(exercise, cases, outcomes, hidden=hidden)
