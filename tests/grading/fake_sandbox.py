"""Fake sandbox whose every byte a test chooses, for the grader's side of the connection."""

import json
import os
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

from autograder.checking.judge import grade_outcomes
from autograder.exercises import exercises
from autograder.grading.sandbox_replies import trusted_outcome
from autograder.sandbox import CodeCell, Limits, Query, TimeBudget
from autograder.sandbox.session import Session, Snapshot
from autograder.sandbox.session_interface import Channel
from chip2cluster.exercise.answers import normalize

NONCE = "0123456789abcdef"
SEED = 5


@cache
def one_of_each_kind():
    """The first exercise for each kind of answer: a number, a truth value, text, names, an array."""
    found = {}
    for exercise in exercises().values():
        if not exercise.constants:
            found.setdefault(kind(exercise), exercise)
    return [*found.values()]


@cache
def kind(exercise):
    """The type of its answers. One case is drawn, not as many as are fair."""
    inputs = exercise.groups[0].draw(np.random.default_rng(SEED))[0]
    return type(normalize(exercise.reference(**inputs)))


@contextmanager
def _opened():
    """A session, and the other end of the socket over which it runs cells."""
    control, end = socket.socketpair()
    channel = Channel(
        control=control,
        root_pid=os.getpid(),
        interpreter_pid=0,
        user_id=0,
        isolated=True,
        limits=Limits(),
        working_folder=Path,
        oom_kills=lambda: 0,
    )
    with control, end, patch("autograder.sandbox.session.secrets.token_hex", lambda *_: NONCE):
        opened = Session(channel, 0, {}, TimeBudget(Limits()))
        _, (life, cells), *_ = socket.recv_fds(end, 1 << 16, 2)
        os.close(life)
        with socket.socket(fileno=cells) as theirs:
            yield opened, theirs
        opened.close()


@contextmanager
def session():
    """A session that is ready to ask."""
    with _opened() as (opened, _):
        opened.end_cells()
        yield opened


def ran(sent):
    """What the grader makes of these bytes as the end of a cell."""
    with _opened() as (opened, theirs), _playing(theirs, sent):
        return opened.run_cell(0, CodeCell("1"))


def frame(message, number=0):
    """A reply to the call of this number, as it goes over the line."""
    return framed(json.dumps({"n": NONCE, "number": number, **message}).encode())


def framed(body):
    return struct.pack(">I", len(body)) + body


@contextmanager
def _playing(theirs, sent):
    """Send these bytes meanwhile, then nothing more."""

    def play():
        with suppress(OSError):
            theirs.sendall(sent)
            theirs.shutdown(socket.SHUT_WR)

    player = threading.Thread(target=play)
    player.start()
    yield
    player.join()


def answered(opened, sent, calls=1):
    """What the grader makes of these bytes as answers to calls."""
    ours, theirs = socket.socketpair()
    with theirs, _playing(theirs, sent):
        return opened.query(Snapshot(Query("f", [[1.0]] * calls), ours, True))


def judged(exercise, answers, sources=None, hidden=True):
    """The verdict where each case got one of these answers in turn."""
    cases = exercise.cases(SEED)
    names = list(cases[0].inputs)
    outcomes = [
        trusted_outcome(answers[number % len(answers)], "f", names, sources or {}) for number in range(len(cases))
    ]
    return grade_outcomes(exercise, cases, outcomes, hidden=hidden)
