"""Exercise on the gradient exchange that the backward pass doesn't hide."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def exposed(parameters, batch_tokens, chips, achieved_tflops, gigabytes_per_second, bytes_per_gradient):
    """Seconds of the all-reduce of the gradients that the backward pass does not hide."""
    return utilization.exchange_step(
        parameters, batch_tokens / chips, chips, achieved_tflops * 1e12, gigabytes_per_second * 1e9,
        gradient_bytes=bytes_per_gradient,
    ).exposed  # fmt: skip


def _case(generator, chips, each, ratio):
    """A run whose exchange takes ``ratio`` times as long as its backward pass."""
    parameters, rate = round(float(generator.uniform(1e9, 90e9)), -8), float(generator.integers(100, 900))
    wire = float(generator.integers(10, 400))
    tokens = 2 * (chips - 1) / chips * each / (wire * 1e9) * rate * 1e12 / (4 * ratio)
    return {
        "parameters": parameters, "batch_tokens": round(tokens) * chips, "chips": chips, "achieved_tflops": rate,
        "gigabytes_per_second": wire, "bytes_per_gradient": each,
    }  # fmt: skip


def _bound(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    easy = {
        "parameters": 1e9, "batch_tokens": 2000, "chips": 2, "achieved_tflops": 100.0, "gigabytes_per_second": 10.0,
        "bytes_per_gradient": 2,
    }  # fmt: skip
    kinds = zip((4, 8, 3, 16), (4, 2, 4, 1), generator.uniform(2.5, 6, 4), strict=True)
    return [easy, *(_case(generator, *kind) for kind in kinds)]


def _hidden(generator):
    kinds = zip((4, 64, 8), (2, 4, 2), generator.uniform(0.2, 0.8, 3), strict=True)
    return [_case(generator, *kind) for kind in kinds]


NOTHING_STANDS_OUT = (
    "Your result is never above 0. Print the two times: with 1e9 parameters, 2,000 tokens, 2 chips, 100 TFLOP/s, 10 GB/s "
    "and 2 bytes sending takes 0.2 s and computing 0.04 s. If yours do, subtract computing from sending; if not, look at the "
    "prefixes, 1e12 for TFLOP/s and 1e9 for GB/s, and send a gradient for each of the parameters, not for each token."
)


def _with(backward=4.0, ring=lambda n: 2 * (n - 1) / n, bandwidth=1.0, spread=True, each=None, end=None):
    def wrong(parameters, batch_tokens, chips, achieved_tflops, gigabytes_per_second, bytes_per_gradient):
        number = bytes_per_gradient if each is None else each
        sending = ring(chips) * parameters * number / (bandwidth * gigabytes_per_second * 1e9)
        tokens = batch_tokens / chips if spread else batch_tokens
        computing = backward * parameters * tokens / (achieved_tflops * 1e12)
        return (end or (lambda late, *_: max(late, 0.0)))(sending - computing, sending, computing)

    return wrong


EXPOSED = Exercise(
    id="mfu.exposed",
    title="What the backward pass does not hide",
    signature="exposed(parameters, batch_tokens, chips, achieved_tflops, gigabytes_per_second, bytes_per_gradient)",
    unit="s",
    points=4,
    reference=exposed,
    shows=(exposed, utilization.exchange_step, utilization.exchanged_bytes),
    groups=(
        Group("bound by the network", 0.7, _bound),
        Group(
            "hidden",
            0.3,
            _hidden,
            v.VALUE,
            advice="Here the backward pass lasts longer: nothing stands out, and that is 0.",
        ),
    ),
    hints=(
        "Compute two times: how long does a chip send, and how long does it compute while it can send?",
        "Sending: 2 · (p − 1) / p · parameters · bytes over the rate. Computing: 4 · parameters · tokens of one chip over the rate.",
        "tokens = batch_tokens / chips, and the answer is max(0, sending − computing), in seconds: TFLOP/s times 1e12, GB/s times 1e9.",
    ),
    solution="""
def exposed(parameters, batch_tokens, chips, achieved_tflops, gigabytes_per_second, bytes_per_gradient):
    sent = 2 * (chips - 1) / chips * parameters * bytes_per_gradient
    sending = sent / (gigabytes_per_second * 1e9)
    computing = 4 * parameters * batch_tokens / chips / (achieved_tflops * 1e12)
    return max(0, sending - computing)
""",
    explanation=(
        "Both times are proportional to the parameters, so only the number of tokens that one chip sees between two exchanges decides "
        "whether the network is the bottleneck. Twice the chips on the same batch halve the backward pass and leave the exchange as it is."
    ),
    meaning=lambda: (
        f"For 7 billion parameters on 64 chips of 400 TFLOP/s behind 50 GB/s each, {exposed(7e9, 64 * 4096, 64, 400.0, 50.0, 2):.2f} s are exposed "
        f"at 4,096 tokens a chip and {exposed(7e9, 64 * 8192, 64, 400.0, 50.0, 2):.2f} s at 8,192. Any other model has the same threshold."
    ),
    mistakes=(
        Mistake(
            "below zero",
            _with(end=lambda late, *_: late),
            "If the backward pass takes longer, you returned a negative time. Nothing is exposed then: return 0.",
            share=0.7,
        ),
        Mistake(
            "the whole step hides",
            _with(backward=6.0),
            "You let the forward pass hide the gradients, too. There are no gradients yet: only the backward pass hides them, 4 FLOP for each "
            "parameter and token.",
        ),
        Mistake(
            "the forward pass hides",
            _with(backward=2.0),
            "You took 2 FLOP for each parameter and token. That is the forward pass; gradients come with the backward one, 4 FLOP.",
        ),
        Mistake(
            "tokens of the cluster",
            _with(spread=False),
            "You let each chip work on the whole batch. It sees batch_tokens / chips of it.",
        ),
        Mistake(
            "half of the exchange",
            _with(bandwidth=2.0),
            "Your exchange takes half as long as it does. An all-reduce sends everything nearly twice, once for the reduce-scatter and once for "
            "the all-gather, and it sends at the unidirectional rate, not at the sum of both directions.",
        ),
        Mistake(
            "ring factor forgotten",
            _with(ring=lambda n: 2.0),
            "You forgot (p − 1) / p: a chip doesn't send its own part to itself.",
        ),
        Mistake(
            "sent once",
            _with(ring=lambda n: 1.0),
            "You let a chip send each gradient once. Around a ring it sends 2 (p − 1) / p of them: once for the reduce-scatter, once for the all-gather.",
        ),
        Mistake(
            "to everybody",
            _with(ring=lambda n: 2.0 * (n - 1)),
            "You let a chip send its whole gradient to each of the others. In a ring it sends 2 (p − 1) / p of it, however many there are.",
        ),
        Mistake(
            "two bytes always",
            _with(each=2),
            "You used 2 bytes for each gradient. Use bytes_per_gradient, because some gradients are exchanged in fp32.",
        ),
        Mistake(
            "bits",
            _with(bandwidth=1 / 8),
            "You turned bytes into bits, or the rate into bytes once more. It is in GB/s already.",
            v.UNIT,
        ),
        Mistake(
            "nothing stands out",
            lambda achieved_tflops, gigabytes_per_second, **run: exposed(
                achieved_tflops=achieved_tflops / 1e12, gigabytes_per_second=gigabytes_per_second / 1e9, **run
            ),
            NOTHING_STANDS_OUT,
        ),
        Mistake(
            "nothing hidden",
            _with(end=lambda _, sending, __: sending),
            "That is the whole exchange, or the longer of the two times. Gradients are sent while the backward pass still runs: subtract its time.",
        ),
        Mistake(
            "all wires together",
            lambda chips, gigabytes_per_second, **run: _with()(
                chips=chips, gigabytes_per_second=chips * gigabytes_per_second, **run
            ),
            "You added up the rates of all chips. Each chip sends its own bytes over its own link, at the same time as the others.",
        ),
    ),
    mutants=MUTANTS["mfu.exposed"],
)
