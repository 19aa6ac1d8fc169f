"""Exercise on RDMA verbs: post a work request, poll the completion queue, check the status."""

from typing import Any

from chip2cluster import links
from chip2cluster.exercise.input_generators import draw_until, tells_apart
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS

DONE, NOT_READY, TOO_LONG, NO_ACCESS, FLUSHED = (
    "success",
    "receiver not ready",
    "remote invalid request",
    "remote access error",
    "flushed",
)


def completions(region_bytes, steps):
    """What the near side polls: a status for each of its sends and writes."""
    near, far = links.connect()
    key = far.register(bytearray(region_bytes))
    for step in steps:
        if step[0] == "receive":
            far.post_receive(step[1])
        elif step[0] == "send":
            near.post_send(bytes(step[1]))
        else:
            near.post_write(bytes(step[2]), key, step[1])
    return [done.status.value for done in near.poll()]


def _wrong(
    take=lambda buffers, size: buffers.pop(0),
    *,
    flush=True,
    write_takes=False,
    end=True,
    told=False,
    fit=True,
    shy=0,
):
    """The same with a rule changed: which buffer a send takes, and what else is not looked at."""

    def wrong(region_bytes, steps):
        buffers, statuses, broken = [], [], False
        for kind, *numbers in steps:
            if kind == "receive":
                buffers.append(numbers[0])
                statuses += [DONE] if told else []
                continue
            status = DONE
            if broken and flush:
                status = FLUSHED
            elif kind == "send" or write_takes:
                status = NOT_READY if not buffers else DONE
                if buffers and take(buffers, numbers[-1]) < numbers[-1] and fit and kind == "send":
                    status = TOO_LONG
            if kind == "write" and status == DONE and numbers[0] + (numbers[1] if end else 0) > region_bytes - shy:
                status = NO_ACCESS
            broken = broken or status not in (DONE, FLUSHED)
            statuses.append(status)
        return statuses

    return wrong


def _fitting(buffers, size):
    """Take the oldest buffer that is long enough, or the oldest of all."""
    place = next((i for i, length in enumerate(buffers) if length >= size), 0)
    return buffers.pop(place)


def _some(generator):
    region = int(generator.integers(3, 9)) * 8
    steps = []
    for kind in generator.choice(["receive", "receive", "receive", "send", "send", "write", "write"], 11):
        size = int(generator.integers(1, 7)) * 8
        if kind == "write":
            steps.append(["write", int(generator.integers(0, region // 8 + 1)) * 8, size])
        else:
            steps.append([str(kind), size])
    return {"region_bytes": region, "steps": steps}


def _traffic(generator):
    # One that can be played in the head comes first: it is the one that a student sees.
    shown: dict[str, Any] = {
        "region_bytes": 32,
        "steps": [["receive", 8], ["receive", 64], ["write", 16, 16], ["send", 8], ["send", 32], ["write", 24, 16]],
    }
    shown["steps"] += [["receive", 8], ["send", 8]]
    hard = [
        draw_until(lambda inputs, names=names: tells_apart(COMPLETIONS, inputs, *names), lambda: _some(generator))
        for names in PAIRS
    ]
    return [shown, *(hard[place] for place in generator.permutation(len(hard)))]


PAIRS = (
    ("newest buffer first", "a write takes a buffer", "goes on after an error"),
    ("any buffer that fits", "length not looked at"),
    ("a write takes a buffer", "start alone looked at", "the far side's too"),
    ("newest buffer first", "any buffer that fits"),
    ("length not looked at", "goes on after an error", "the far side's too"),
    ("a buffer used twice", "newest buffer first"),
    ("shy of the region's end", "start alone looked at"),
)


def _meaning():
    return (
        "Of a thousand failed requests at most one says why; the others were flushed. Search a log for the first error, not for the "
        "last, and NCCL's logs for the first node that reported one."
    )


COMPLETIONS = Exercise(
    id="links.completions",
    title="Post, poll, and read the status",
    signature="completions(region_bytes, steps)",
    unit="",
    points=4,
    reference=completions,
    shows=(links.connect,),
    groups=(Group("traffic", 1.0, _traffic),),
    hints=(
        "Keep a list of the buffers that wait at the far side, and one flag: is the connection broken?",
        "Per step of the near side, ask in this order: is it broken? Then flushed. A send: is there a buffer, and is the "
        "oldest one long enough? A write: does it end inside the region? The first no breaks the connection.",
        "buffers.append(step[1]) for a receive; buffers.pop(0) for a send. A write compares step[1] + step[2] with "
        "region_bytes and takes no buffer.",
    ),
    solution="""
def completions(region_bytes, steps):
    buffers, statuses, broken = [], [], False
    for kind, *numbers in steps:
        if kind == "receive":
            buffers.append(numbers[0])
            continue
        status = "success"
        if broken:
            status = "flushed"
        elif kind == "send" and not buffers:
            status = "receiver not ready"
        elif kind == "send" and buffers.pop(0) < numbers[0]:
            status = "remote invalid request"
        elif kind == "write" and sum(numbers) > region_bytes:
            status = "remote access error"
        broken = broken or status != "success"
        statuses.append(status)
    return statuses
""",
    explanation=(
        "A send needs a buffer that the far side has posted, oldest first; a write needs only an address and a key. "
        "The first error ends a reliable connection: what was posted after it is flushed, so the first "
        "status that is neither success nor flushed is the one to look for in a log."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "newest buffer first",
            _wrong(lambda buffers, size: buffers.pop()),
            "You filled the newest buffer. A receive queue is a queue: the oldest is used first.",
        ),
        Mistake(
            "a buffer used twice",
            _wrong(lambda buffers, size: buffers[0]),
            "You used a buffer twice. A send uses up the buffer that it fills: take it off the queue.",
        ),
        Mistake(
            "any buffer that fits",
            _wrong(_fitting),
            "You looked for a buffer that is long enough. The NIC takes the oldest, and a message that is longer is an "
            "error.",
        ),
        Mistake(
            "length not looked at",
            _wrong(fit=False),
            "You did not compare the message with its buffer. A message that is longer ends as a remote invalid request.",
        ),
        Mistake(
            "a write takes a buffer",
            _wrong(write_takes=True),
            "You let a write use up a posted buffer. A write names its address; it needs no receive and takes none.",
        ),
        Mistake(
            "start alone looked at",
            _wrong(end=False),
            "You looked where a write begins. It must also end inside the region: offset plus length.",
        ),
        Mistake(
            "shy of the region's end",
            _wrong(shy=1),
            "You refused a write that ends exactly at the region's end. It is entirely inside: offset plus length may be as "
            "large as the region.",
        ),
        Mistake(
            "goes on after an error",
            _wrong(flush=False),
            "You went on after an error. The first one breaks the connection, and whatever is posted after it is flushed.",
        ),
        Mistake(
            "the far side's too",
            _wrong(told=True),
            "You listed the receives as well. They complete at the far side; the near side polls its own sends and writes.",
        ),
    ),
    mutants=MUTANTS["links.completions"],
)
