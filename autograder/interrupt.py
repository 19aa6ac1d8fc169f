"""Ctrl-C that is not lost: what Python raises inside a callback of a library, such as a finalizer, is dropped there."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_asked = threading.Event()


@contextmanager
def kept() -> Iterator[None]:
    """Remember Ctrl-C while this lasts, besides raising KeyboardInterrupt where it arrives.

    Where it is dropped Python prints no traceback: nothing is lost that somebody should read of.
    In a thread that is not the main one, and where Ctrl-C is ignored (as after ``nohup``), nothing changes.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    say = sys.unraisablehook
    sys.unraisablehook = lambda dropped: None if dropped.exc_type is KeyboardInterrupt else say(dropped)
    signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = say
        _asked.clear()


def stop_if_asked() -> None:
    """Raise KeyboardInterrupt once more if Ctrl-C came and somebody dropped it."""
    if _asked.is_set():
        raise KeyboardInterrupt


def _remember(number: int, frame: FrameType | None) -> None:
    _asked.set()
    raise KeyboardInterrupt
