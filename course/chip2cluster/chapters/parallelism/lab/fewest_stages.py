"""Task on the fewest pipeline stages for a cluster, with personal numbers."""

from collections.abc import Callable

import numpy as np

from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from .model_states import state_bytes
from .stored_inputs import kept_bytes

MANY = 10**6  # micro-batches of a step so long that every stage holds all that it ever does


def _cluster(generator):
    """Memory of a device in bytes, devices that share a matrix, copies, and tokens of a micro-batch."""
    return {
        "memory_bytes": 4e9 * int(generator.integers(16, 28)),
        "tensor": int(generator.choice((4, 8))),
        "copies": int(generator.integers(6, 25)),
        "tokens": 4096 * int(generator.integers(4, 11)),
    }


def fewest_stages(parameters, layers, d_model, memory_bytes, tensor, copies, tokens):
    """The smallest number of stages that divides the layers and leaves the first stage room."""
    return _fewest(
        layers,
        memory_bytes,
        lambda p: (
            state_bytes(parameters, tensor, p, copies, True) + kept_bytes(layers, d_model, tokens, tensor, p, MANY, 0)
        ),
    )


def _fewest(layers, room, need, divides=True):
    for p in range(1, layers + 1):
        if (layers % p == 0 or not divides) and need(p) <= room:
            return p
    return 0


def _model(generator, least, most):
    """A model whose states fill a device somewhere between these numbers of stages, on most clusters."""
    layers = int(generator.choice((62, 74, 80, 92, 98, 118, 126)))
    return {
        "parameters": round(float(generator.uniform(least, most)), -8),
        "layers": layers,
        "d_model": 1024 * int(generator.integers(6, 13)),
    }


def _models(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {"parameters": 200e9, "layers": 60, "d_model": 8000}
    return [easy, *(_model(generator, least, 2 * least) for least in np.linspace(80e9, 420e9, 28))]


def _small(generator):
    return [{"parameters": 1e9, "layers": 24, "d_model": 1024}, {"parameters": 2e9, "layers": 30, "d_model": 2048}]


def _changed(states=None, kept=None, room=1.0, divides=True, clip=None):
    def wrong(parameters, layers, d_model, memory_bytes, tensor, copies, tokens):
        lies: Callable[..., float] = states or (lambda p: state_bytes(parameters, tensor, p, copies, True))
        waits: Callable[..., float] = kept or (lambda p: kept_bytes(layers, d_model, tokens, tensor, p, MANY, 0))
        given = (parameters, layers, d_model, tensor, copies, tokens)
        need = lambda p: (lies(*given, p) if states else lies(p)) + (waits(*given, p) if kept else waits(p))
        found = _fewest(layers, room * memory_bytes, need, divides)
        return clip(found) if clip else found

    return wrong


OWN_STAGES = Exercise(
    id="lab.parallelism.own_stages",
    title="Your own cluster",
    signature="fewest_stages(parameters, layers, d_model)",
    unit="stages",
    graded=True,
    points=4,
    constants=_cluster,
    allowed=("chip2cluster.specs", "chip2cluster.units", "autograder.student.given"),
    reference=fewest_stages,
    groups=(
        Group("large models", 0.8, _models),
        Group("small models", 0.2, _small, v.VALUE, advice="A model that fits on one stage needs one."),
    ),
    hints=(
        'Your numbers are in the cell above: cluster["memory_bytes"] and so on. Your functions 1 and 2 do the rest.',
        "Try 1, 2, 3 ... stages; skip a number that does not divide layers.",
        "For each number of stages add the results of functions 1 and 2, with weights and gradients whole, as the task "
        "says, and for the first stage with all its micro-batches in flight. Return the first number that fits.",
    ),
    explanation=(
        "More stages reduce only the states: with many micro-batches the activations on the first stage are the same for every p. If those alone do not fit, no pipeline helps."
    ),
    mistakes=(
        Mistake(
            "does not divide",
            _changed(divides=False),
            "Your number of stages does not divide the layers. All stages must have equally many.",
        ),
        Mistake(
            "activations forgotten",
            _changed(kept=lambda *given: 0.0),
            "You counted only the states. The first stage also keeps activations for the backward pass.",
        ),
        Mistake(
            "one micro-batch in flight",
            _changed(kept=lambda n, layers, h, t, c, tokens, p: kept_bytes(layers, h, tokens, t, p, 1, 0)),
            "You kept one micro-batch on the first stage. With many micro-batches, p of them are in flight there.",
        ),
        Mistake(
            "all states sharded",
            _changed(states=lambda n, layers, h, t, c, tokens, p: state_bytes(n, t, p, c, False)),
            "You sharded weights and gradients, too. In a pipeline each device keeps them whole: whole=True.",
        ),
        Mistake(
            "replicas forgotten",
            _changed(states=lambda n, layers, h, t, c, tokens, p: state_bytes(n, t, p, 1, True)),
            "The replicas share the optimizer states: pass their number as shards.",
        ),
        Mistake(
            "GiB instead of GB",
            _changed(room=2**30 / 1e9),
            "You took the memory as GiB. It is given in bytes.",
        ),
        Mistake(
            "one stage more",
            _changed(clip=lambda p: p + 1),
            "You use one stage more than you need.",
        ),
        Mistake(
            "one layer per stage",
            lambda layers, **given: layers,
            "You returned the number of layers. Fewer stages are enough.",
        ),
    ),
)
