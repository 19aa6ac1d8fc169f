"""Exercise on the order of passes of one device under the 1F1B schedule."""

from chip2cluster import parallelism
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def order(device, p, m):
    """Passes of a device, such as F0 and B0, in the order in which 1F1B runs them."""
    run = parallelism.schedule("1f1b", p, m, forward_seconds=1.0, backward_seconds=1.0)
    return [f"{slot.kind[0].upper()}{slot.micro_batch}" for slot in run.slots if slot.device == device]


def _case(device, p, m):
    return {"device": device, "p": p, "m": m}


def _pipelines(generator):
    # A case that can be done on paper comes first: it is the one that a student sees.
    drawn = [_case(1, 3, 4)]
    for p in (4, 6, 8):
        m = int(generator.integers(p + 1, 2 * p + 2))
        drawn += [_case(0, p, m), _case(int(generator.integers(1, p // 2)), p, m)]
    return drawn


def _ends(generator):
    return [_case(5, 6, 8), _case(0, 6, 3), _case(0, 1, 3), _case(1, 8, int(generator.integers(2, 5)))]


def _one_f_one_b(warm_up, back=lambda k, m: k, drain=True, cap=True):
    """So many forward passes first, then one of each in turn, then what is left backward."""

    def wrong(device, p, m):
        first = warm_up(device, p)
        if cap:
            first = max(min(first, m), 0)
        passes = [f"F{k}" for k in range(first)]
        for k in range(m - first):
            passes += [f"F{first + k}", f"B{back(k, m)}"]
        return passes + [f"B{back(k, m)}" for k in range(max(m - first, 0), m)] * drain

    return wrong


ORDER = Exercise(
    id="parallelism.order",
    title="Write a schedule: 1F1B",
    signature="order(device, p, m)",
    unit="",
    points=5,
    reference=order,
    shows=(order, parallelism.schedule),
    groups=(
        Group("pipelines", 0.8, _pipelines),
        Group(
            "edges",
            0.2,
            _ends,
            advice="The last device sends every micro-batch back at once. If there are fewer micro-batches than stages, the first devices send all m forward before any gradient comes back.",
        ),
    ),
    hints=(
        "Draw three devices and four micro-batches, one square for each pass. What does the last device do after F0? How many forward passes has the device before it done by then?",
        "There are three parts: some forward passes alone, then forward and backward passes alternating, then the remaining backward passes.",
        "min(m, p − 1 − device) forward passes alone. Then pairs: the next forward, then the oldest backward. Then the remaining backward passes.",
    ),
    solution="""
def order(device, p, m):
    first = min(m, p - 1 - device)
    passes = [f"F{k}" for k in range(first)]
    for k in range(m - first):
        passes += [f"F{first + k}", f"B{k}"]
    passes += [f"B{k}" for k in range(m - first, m)]
    return passes
""",
    explanation=(
        "A device waits for its first gradient no longer than it must: p − 1 − device micro-batches are on later "
        "stages by then, and one more goes forward. From then on each backward pass frees the memory that the next "
        "forward pass needs."
    ),
    meaning=lambda: (
        f"On 8 stages with 32 micro-batches the first device holds {max(_run('1f1b').in_flight)} of them with this "
        f"order and {max(_run('gpipe').in_flight)} with GPipe's, and the step takes equally long: "
        f"{_run('1f1b').makespan_seconds:.0f} and {_run('gpipe').makespan_seconds:.0f} passes. The order alone saves "
        "memory, at no cost in time if sends between stages cost none."
    ),
    mistakes=(
        Mistake(
            "gpipe",
            _one_f_one_b(lambda device, p: 10**6),
            "You run all forward passes first, as GPipe does, so a device holds m micro-batches. Start a backward pass as soon as its gradient is available.",
        ),
        Mistake(
            "same warm-up on every device",
            _one_f_one_b(lambda device, p: p - 1),
            "All your devices send p − 1 micro-batches ahead. Only device 0 does; each later device is closer to the last stage and sends fewer.",
        ),
        Mistake(
            "warm-up grows with the stage",
            _one_f_one_b(lambda device, p: device),
            "Your later devices send more micro-batches ahead. It is the other way round: the first device is farthest from the last stage and sends the most.",
        ),
        Mistake(
            "one too many ahead",
            _one_f_one_b(lambda device, p: p - device),
            "You send one micro-batch too many ahead: p − 1 − device go forward alone, and the first pair adds one more.",
        ),
        Mistake(
            "devices from one",
            _one_f_one_b(lambda device, p: p - max(device, 1)),
            "You counted the devices from 1. They are numbered from 0: device 0 sends p − 1 micro-batches ahead, device 1 one fewer.",
        ),
        Mistake(
            "one too few ahead",
            _one_f_one_b(lambda device, p: p - 2 - device),
            "You send one micro-batch too few ahead, so a device waits for a gradient that is not there yet, and all later devices wait too.",
        ),
        Mistake(
            "no warm-up",
            _one_f_one_b(lambda device, p: 0),
            "You begin with F0, B0 on every device. Only the last device can: the others would wait until micro-batch 0 comes back.",
        ),
        Mistake(
            "backward in reverse",
            lambda device, p, m: [*(f"F{k}" for k in range(m)), *(f"B{m - 1 - k}" for k in range(m))],
            "You run all forward passes and then the backward passes in reverse order. Layers run backward in reverse order; micro-batches come back in the order in which they were sent.",
        ),
        Mistake(
            "numbered from one",
            lambda device, p, m: [f"{name[0]}{int(name[1:]) + 1}" for name in order(device, p, m)],
            "Your order is right, but your micro-batches are numbered from 1. They are numbered from 0, as devices are.",
        ),
        Mistake(
            "backward passes missing",
            _one_f_one_b(lambda device, p: p - 1 - device, drain=False),
            "Your list ends before all backward passes have run: the micro-batches that were sent ahead are missing.",
        ),
        Mistake(
            "more than m ahead",
            _one_f_one_b(lambda device, p: p - 1 - device, cap=False),
            "With few micro-batches you run some that do not exist: at most m can be sent ahead.",
            share=0.8,
        ),
    ),
    mutants=MUTANTS["parallelism.order"],
)  # fmt: skip


def _run(name):
    return parallelism.schedule(name, 8, 32, forward_seconds=1.0, backward_seconds=1.0)
