"""Exercise on the stall of a job for an asynchronous checkpoint, and when the checkpoint is safe."""

import numpy as np

from chip2cluster import reliability
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake


def save_seconds(parameters_billions, nodes, copy_gbytes, adapter_gbytes, storage_gbytes):
    """Seconds that the job stands still, and seconds until the checkpoint is safe."""
    size = reliability.checkpoint_bytes(parameters_billions * 1e9)
    dump = reliability.asynchronous_checkpoint(
        size, nodes, copy_gbytes * 1e9, adapter_gbytes * 1e9, storage_gbytes * 1e9
    )
    return np.array([dump.stall_seconds, dump.stall_seconds + dump.persist_seconds])


def _case(billions, nodes, copy, adapter, storage):
    return {
        "parameters_billions": billions,
        "nodes": nodes,
        "copy_gbytes": copy,
        "adapter_gbytes": adapter,
        "storage_gbytes": storage,
    }


def _jobs(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    drawn = [_case(10.0, 7, 20.0, 2.0, 10.0)]
    for nodes in (16, 128, 48, 1024):
        billions, copy = round(float(generator.uniform(7, 500)), 1), round(float(generator.uniform(50, 400)))
        adapter = float(generator.integers(6, 49))
        # The storage takes in less than all adapters send, or more.
        share = generator.uniform(0.2, 0.7) if nodes > 100 else generator.uniform(1.5, 4)
        drawn.append(_case(billions, nodes, float(copy), adapter, round(float(share * nodes * adapter), 1)))
    return drawn


def _edges(generator):
    adapter = float(generator.integers(5, 30))
    return [_case(1.0, 1, 80.0, adapter, 500.0), _case(100.0, 10, 100.0, adapter, 10 * adapter)]


def _times(each=14, writes=min, joined=True, copy=lambda nodes: nodes, adapters=lambda nodes: nodes, still=False):
    def wrong(parameters_billions, nodes, copy_gbytes, adapter_gbytes, storage_gbytes):
        size = each * parameters_billions
        stall = size / (copy(nodes) * copy_gbytes) if copy else 0.0
        safe = joined * stall + size / writes(adapters(nodes) * adapter_gbytes, storage_gbytes)
        return np.array([safe if still else stall, safe])

    return wrong


SAVE = Exercise(
    id="storage.save",
    title="How long does the job stop, and when is the checkpoint safe?",
    signature="save_seconds(parameters_billions, nodes, copy_gbytes, adapter_gbytes, storage_gbytes)",
    unit="s",
    points=3,
    reference=save_seconds,
    shows=(save_seconds, reliability.checkpoint_bytes, reliability.asynchronous_checkpoint),
    groups=(
        Group("jobs", 0.8, _jobs),
        Group(
            "edges",
            0.2,
            _edges,
            advice="A single node has one NIC. If both rates are equal, it doesn't matter which you take.",
        ),
    ),
    hints=(
        "How many bytes does the whole checkpoint have? Count the weights and the optimizer state, not the gradients.",
        "All nodes copy at once, each its own part; then all write at once, and the storage may be slower than they send.",
        "size = 14e9 · parameters_billions; stall = size / (nodes · copy); safe = stall + size / min(nodes · adapter, storage), all in bytes/s.",
    ),
    solution="""
def save_seconds(parameters_billions, nodes, copy_gbytes, adapter_gbytes, storage_gbytes):
    gbytes = 14 * parameters_billions
    stall = gbytes / (nodes * copy_gbytes)
    return [stall, stall + gbytes / min(nodes * adapter_gbytes, storage_gbytes)]
""",
    explanation=(
        "The copy bandwidth grows with the number of nodes, the storage bandwidth doesn't. So the stall gets shorter with every node, "
        "but the time until the checkpoint is safe hardly changes. Only the stall keeps the job from working; a failure before the "
        "checkpoint is safe sends the job back to the previous one."
    ),
    meaning=lambda: (
        f"Take a model of 405 billion parameters on 2,048 nodes that copy 200 GB/s each, and a file system of 2 TB/s. The job stands "
        f"still for {1e3 * _llama()[0]:.0f} ms, and the checkpoint is safe after {_llama()[1]:.1f} s. A synchronous checkpoint would "
        "stop the job for all those seconds, every time."
    ),
    mistakes=(
        Mistake(
            "weights alone",
            _times(2),
            "You saved only the weights. To continue training you also need the optimizer's 12 bytes for each parameter.",
        ),
        Mistake(
            "gradients as well",
            _times(16),
            "You saved the gradients. They are computed again in the first step after a restart: 14 bytes for each parameter, not 16.",
        ),
        Mistake("optimizer alone", _times(12), "You left out the weights themselves: 2 bytes more for each parameter."),
        Mistake(
            "weights of four bytes",
            _times(4),
            "You saved only 32-bit weights. A checkpoint has 2 bytes of weight and 12 of optimizer state for each parameter.",
        ),
        Mistake(
            "no stall",
            _times(copy=None),
            "Your copy takes no time. But the next step may not change the state while it is copied from the devices.",
        ),
        Mistake(
            "safe when written alone",
            _times(joined=False),
            "Your second number starts after the copy. The checkpoint is safe when it is copied *and* written, so the first number is part of the second.",
        ),
        Mistake(
            "still until it is safe",
            _times(still=True),
            "Your job stands still until the checkpoint is safe. It continues as soon as everything is copied; the nodes write in the background.",
        ),
        Mistake(
            "one node copies",
            _times(copy=lambda nodes: 1),
            "You copied everything in one node. All nodes copy at once, each its own part.",
        ),
        Mistake(
            "one adapter",
            _times(adapters=lambda nodes: 1),
            "You sent everything through one NIC. All nodes write at once.",
        ),
        Mistake(
            "one node does all",
            _times(copy=lambda nodes: 1, adapters=lambda nodes: 1),
            "You let one node do everything. All nodes copy and write at once, each its own part.",
        ),
        Mistake(
            "adapters alone",
            _times(writes=lambda sent, taken: sent),
            "You forgot the storage: it accepts storage_gbytes from all nodes together, however fast they send.",
        ),
        Mistake(
            "storage alone",
            _times(writes=lambda sent, taken: taken),
            "You forgot the NICs: a few nodes can't send as fast as the storage can write.",
        ),
        Mistake(
            "the wider place",
            _times(writes=max),
            "You took the faster of the two. The slower one is the bottleneck.",
        ),
        Mistake(
            "both in a row",
            _times(writes=lambda sent, taken: 1 / (1 / sent + 1 / taken)),
            "You added the times of NICs and storage. The bytes flow through both at once: the slower one counts.",
        ),
        Mistake(
            "GB for bytes",
            _times(14e9),
            "Your times are 1e9 times too long: 1 GB/s is 1e9 bytes/s.",
            v.UNIT,
        ),
    ),
)


def _llama():
    return save_seconds(405.0, 2048, 200.0, 50.0, 2000.0)
