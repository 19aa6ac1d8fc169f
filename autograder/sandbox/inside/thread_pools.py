"""Repair thread pools after a fork, because the child process has none of its parent's threads."""

import gc
import queue
import sys
import threading
from contextlib import suppress
from typing import Any


def reset_thread_pools() -> None:
    """Clear the threads and the pending work of every thread pool, so that it starts new threads."""
    pools: Any = sys.modules.get("concurrent.futures.thread")
    # Checked first, because a scan of all objects is slow.
    if pools is None or not len(pools._threads_queues):
        return
    for one in gc.get_objects():
        if type(one) is pools.ThreadPoolExecutor:
            with suppress(AttributeError):
                one._threads.clear()
                one._work_queue = queue.SimpleQueue()
                one._idle_semaphore = threading.Semaphore(0)
    pools._threads_queues.clear()
