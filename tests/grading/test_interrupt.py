"""Ctrl-C that a library's callback drops."""

import signal

import pytest
import sqlalchemy

from autograder import interrupt


class Finalized:
    def __init__(self, problem):
        self._problem = problem

    def __del__(self):
        if self._problem is KeyboardInterrupt:
            signal.raise_signal(signal.SIGINT)
        else:
            raise self._problem


@pytest.fixture(autouse=True)
def as_in_a_terminal():
    """A shell that starts the tests in the background has them ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def told(monkeypatch):
    """What Python would print of callbacks that failed."""
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda dropped: told.append(dropped.exc_type))
    return told


def test_dropped_interrupt_stops_the_run_and_prints_nothing(told):
    with interrupt.remember_interrupts():
        interrupt.raise_if_interrupted()
        Finalized(KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            interrupt.raise_if_interrupted()
    assert told == []
    interrupt.raise_if_interrupted()  # what was asked is over


def test_other_callback_errors_reach_the_hook(told):
    with interrupt.remember_interrupts():
        Finalized(ValueError)
    Finalized(OSError)
    assert told == [ValueError, OSError]


def test_interrupt_is_raised_where_it_arrives():
    with pytest.raises(KeyboardInterrupt), interrupt.remember_interrupts():
        signal.raise_signal(signal.SIGINT)


def test_sqlalchemy_logs_nothing_after_an_interrupt(caplog):
    engine = sqlalchemy.create_engine("sqlite://")

    def close_cursor_after_its_database():
        result = engine.raw_connection()
        cursor = result.cursor()
        result.driver_connection.close()
        sqlalchemy.Connection(engine, result)._safe_close_cursor(cursor)
        result.detach()

    close_cursor_after_its_database()
    assert [record.getMessage() for record in caplog.records] == ["Error closing cursor"]
    with interrupt.remember_interrupts():
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        close_cursor_after_its_database()
    assert len(caplog.records) == 1
    close_cursor_after_its_database()
    assert len(caplog.records) == 2
