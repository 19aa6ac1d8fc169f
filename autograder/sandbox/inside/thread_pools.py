"""A copy of a process has none of its threads: pools that a cell made must start theirs anew."""

import gc
import queue
import sys
import threading
from contextlib import suppress
from typing import Any


def revive() -> None:
    """Let every pool of threads of this process forget the threads and the work that it had."""
    pools: Any = sys.modules.get("concurrent.futures.thread")
    # Asked for first, since to look at every object takes a moment.
    if pools is None or not len(pools._threads_queues):
        return
    for one in gc.get_objects():
        if type(one) is pools.ThreadPoolExecutor:
            with suppress(AttributeError):
                one._threads.clear()
                one._work_queue = queue.SimpleQueue()
                one._idle_semaphore = threading.Semaphore(0)
    pools._threads_queues.clear()
