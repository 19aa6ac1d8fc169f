"""Task on the GPU-hours of a training run, from its FLOP, MFU and goodput."""

from chip2cluster import utilization
from chip2cluster.exercise import verdict_codes as v
from chip2cluster.exercise.model import Exercise, Group, Mistake

HOUR = 3600.0


def gpu_hours(parameters, tokens, peak_flops_dense, mfu, goodput):
    """Hours of one GPU that all the steps take, with those that are lost."""
    work = 6.0 * parameters * tokens
    return utilization.training_time_at(work, 1, peak_flops_dense, mfu) / HOUR / goodput


def _case(parameters, tokens, peak, mfu, goodput):
    return {
        "parameters": parameters, "tokens": tokens, "peak_flops_dense": peak, "mfu": mfu, "goodput": goodput,
    }  # fmt: skip


def _runs(generator):
    # 6e21 FLOP at a quarter of 1e15 a second, of which four fifths stay. A student sees this one.
    hand = _case(1e9, 1e12, 1e15, 0.25, 0.8)
    return [hand, *(_training(generator, peak) for peak in (312e12, 989.4e12, 2250e12, 1307.4e12))]


def _training(generator, peak):
    return _case(
        1e9 * round(float(generator.uniform(1, 400)), 1), 1e12 * round(float(generator.uniform(0.5, 16)), 2), peak,
        round(float(generator.uniform(0.25, 0.55)), 3), round(float(generator.uniform(0.7, 0.92)), 3),
    )  # fmt: skip


def _perfect(generator):
    return [_case(1e9 * int(generator.integers(7, 90)), 2e12, 312e12, 0.45, 1.0)]


def _like(each=6.0, share=lambda mfu, goodput: mfu * goodput, per=HOUR):
    def wrong(parameters, tokens, peak_flops_dense, mfu, goodput):
        return each * parameters * tokens / (peak_flops_dense * share(mfu, goodput)) / per

    return wrong


HOURS = Exercise(
    id="lab.economics.gpu_hours",
    title="How many GPU-hours?",
    signature="gpu_hours(parameters, tokens, peak_flops_dense, mfu, goodput)",
    unit="hours",
    graded=True,
    points=3,
    reference=gpu_hours,
    groups=(
        Group("training runs", 0.9, _runs),
        Group("nothing lost", 0.1, _perfect, v.VALUE, advice="With a goodput of 1 nothing is lost: then the steps alone count."),
    ),
    hints=(
        "How many FLOP does a training need for each parameter and each token? Forward is two of them.",
        "6 FLOP, so a product of three. One GPU does peak times MFU a second. That is seconds of useful work, not hours, and not all that passes.",
        "Divide the FLOP by what a GPU does in an hour, and divide by the goodput: who keeps four fifths of the hours needs more, not fewer.",
    ),
    explanation="Two shares that multiply: what the chips reach while they work, and how much of the time counts in the end.",
    mistakes=(
        Mistake("forward alone", _like(2.0), "You took 2 FLOP for each parameter and token. That is the forward pass: backward is twice that."),
        Mistake("recomputed", _like(8.0), "You took 8 FLOP for each parameter and token. What is recomputed is no progress, and an MFU doesn't count it."),
        Mistake("nothing lost", _like(share=lambda mfu, goodput: mfu), "You left the goodput out. Lost hours are paid, too.", share=0.0),
        Mistake("times the goodput", _like(share=lambda mfu, goodput: mfu / goodput), "You multiplied by the goodput. Of all hours only that share counts: "
                "more are needed."),
        Mistake("losses added", _like(share=lambda mfu, goodput: mfu / (2 - goodput)), "You added what is lost to the hours that count. The share is one of "
                "all hours: divide by it."),
        Mistake("at the peak", _like(share=lambda mfu, goodput: goodput), "You left the MFU out. Nobody reaches the peak."),
        Mistake("seconds", _like(per=1.0), "Your answer is in seconds. Hours are wanted.", v.UNIT),
        Mistake("days", _like(per=86400.0), "Your answer is in days. Hours are wanted.", v.UNIT),
    ),
)  # fmt: skip
