"""Keep Ctrl-C from being lost: Python drops an exception that is raised within a library's callback, such as a finalizer."""

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_interrupted = threading.Event()
_sqlalchemy_log = logging.getLogger("sqlalchemy")


@contextmanager
def remember_interrupts() -> Iterator[None]:
    """Remember Ctrl-C during the block, besides raising KeyboardInterrupt where it arrives.

    Python then prints no traceback if it drops the exception, because nothing is lost. SQLAlchemy logs no error from
    then on, because it closes cursors of a database that the interrupt has already closed. In a thread other than the
    main one, and if Ctrl-C is ignored (as after ``nohup``), nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    hook, level = sys.unraisablehook, _sqlalchemy_log.level
    sys.unraisablehook = lambda dropped: None if dropped.exc_type is KeyboardInterrupt else hook(dropped)
    signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook
        _sqlalchemy_log.setLevel(level)
        _interrupted.clear()


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt again if Ctrl-C came and the exception was dropped."""
    if _interrupted.is_set():
        raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    _interrupted.set()
    _sqlalchemy_log.setLevel(logging.CRITICAL + 1)
    raise KeyboardInterrupt
