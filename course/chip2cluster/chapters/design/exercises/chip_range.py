"""Exercise on the fewest chips that a training run needs, and the most that its limits allow."""

from math import ceil, floor

import numpy as np

from chip2cluster import capstone
from chip2cluster.exercise.input_generators import draw_until
from chip2cluster.exercise.model import Exercise, Group, Mistake
from chip2cluster.exercise.verdict_codes import UNIT

DAY = 86400.0
STATES = 16.0


def chips(
    flop, peak_tflops, parameters_billions, memory_gb, days, dollars, dollars_per_chip, megawatts, watts_per_chip
):
    """Fewest that are needed, most that can be had."""
    return _like()(
        flop, peak_tflops, parameters_billions, memory_gb, days, dollars, dollars_per_chip, megawatts, watts_per_chip
    )


def _like(each=STATES, needs=max, has=min, up=ceil, down=floor, day=DAY, mega=1e6, tera=1e12):
    def answer(
        flop, peak_tflops, parameters_billions, memory_gb, days, dollars, dollars_per_chip, megawatts, watts_per_chip
    ):
        memory = up(each * parameters_billions / memory_gb)
        time = up(flop / (peak_tflops * tera * days * day))
        money, power = down(dollars / dollars_per_chip), down(megawatts * mega / watts_per_chip)
        return np.array([needs(memory, time), has(money, power)], dtype=float)

    return answer


def _case(flop, peak, billions, memory, days, dollars, price, megawatts, watts):
    return {
        "flop": float(flop),
        "peak_tflops": peak,
        "parameters_billions": billions,
        "memory_gb": memory,
        "days": days,
        "dollars": float(dollars),
        "dollars_per_chip": float(price),
        "megawatts": megawatts,
        "watts_per_chip": float(watts),
    }


def _clear(inputs):
    """Return whether rounding changes the answer and no bound is a whole number."""
    memory = STATES * inputs["parameters_billions"] / inputs["memory_gb"]
    time = inputs["flop"] / (inputs["peak_tflops"] * 1e12 * inputs["days"] * DAY)
    money, power = (
        inputs["dollars"] / inputs["dollars_per_chip"],
        inputs["megawatts"] * 1e6 / inputs["watts_per_chip"],
    )
    return all(0.05 < bound % 1 < 0.95 and bound > 3 for bound in (memory, time, money, power))


# Chips that the deadline needs for each one that the memory needs; in the last, even the weights alone need more.
LATE, LARGE, IDLE = (2, 30), (0.1, 0.8), (0.02, 0.1)


def _draw(generator, deadline, poor):
    """Draw a case in which the deadline or the memory binds, and the money or the power."""

    def once():
        billions, memory = float(generator.integers(60, 900)), float(generator.choice([80, 141, 192]))
        peak, days = round(float(generator.uniform(300, 2300)), 1), float(generator.integers(20, 120))
        held = STATES * billions / memory
        flop = held * peak * 1e12 * days * DAY * float(generator.uniform(*deadline))
        price, watts = float(generator.integers(150, 600)) * 100, float(generator.integers(70, 200)) * 10
        many = float(generator.integers(500, 20_000))
        rich = float(generator.uniform(1.2, 2))
        return _case(
            float(f"{flop:.4g}"), peak, billions, memory, days,
            round(many * price * (1 if poor else rich), -4), price,
            round(many * watts * (rich if poor else 1) / 1e6, 2), watts,
        )  # fmt: skip

    return draw_until(_clear, once)


def _impossible(generator):
    """Draw a case that needs more chips than its limits allow."""

    def once():
        inputs = _draw(generator, LATE, True)
        return {**inputs, "days": float(generator.integers(2, 9))}

    def over(inputs):
        fewest, most = chips(**inputs)
        return _clear(inputs) and fewest > 1.2 * most

    return draw_until(over, once)


def _machines(generator):
    # 10 days of 10**15 FLOP/s are 864 · 10**18 FLOP; a student sees this one.
    first = _case(3.5e21, 1000.0, 70.0, 80.0, 10.0, 1_000_000, 30_000, 0.05, 1400)
    return [
        first,
        *(_draw(generator, deadline, poor) for deadline in (LATE, LATE, LARGE, IDLE) for poor in (True, False)),
        _impossible(generator),
    ]


CHIPS = Exercise(
    id="design.chips",
    title="Can it be done at all?",
    signature="chips(flop, peak_tflops, parameters_billions, memory_gb, days, dollars, dollars_per_chip, megawatts, watts_per_chip)",
    unit="chips",
    points=3,
    reference=chips,
    shows=(chips, capstone.bounds),
    groups=(Group("machines", 1.0, _machines),),
    hints=(
        "There are four bounds: two say how many chips you need at least, and two how many you can have at most.",
        "Memory: 16 bytes for each parameter, held once, whatever the layout. Deadline: every chip at its peak for all the days.",
        "fewest = the larger of ceil(16 · parameters_billions / memory_gb) and ceil(flop / (peak · seconds)); "
        "most = the smaller of the two quotients, rounded down.",
    ),
    solution="""
from math import ceil, floor


def chips(flop, peak_tflops, parameters_billions, memory_gb, days, dollars, dollars_per_chip, megawatts, watts_per_chip):
    memory = ceil(16 * parameters_billions / memory_gb)
    deadline = ceil(flop / (peak_tflops * 1e12 * days * 86400))
    money = floor(dollars / dollars_per_chip)
    power = floor(megawatts * 1e6 / watts_per_chip)
    return [max(memory, deadline), min(money, power)]
""",
    explanation=(
        "All needs must be met, so the largest counts; all limits must be kept, so the smallest counts. If the first number is larger than "
        "the second, nothing helps: no layout, no network, no software. If it is smaller, their ratio is the fraction of peak "
        "that the whole run must reach, interruptions included."
    ),
    meaning=lambda: (
        f"The chapter's run needs {_told('A100 SXM 80GB'):.0f} % of the peak of A100, {_told('H100 SXM'):.0f} % of that of H100 and "
        f"{_told('B200'):.0f} % of that of B200, in 16 bits. Chapter 9 says which of these fractions published runs have reached."
    ),
    mistakes=(
        Mistake("memory forgotten", _like(needs=lambda memory, time: time), "You left out the memory. On small chips a short run may need more of them to hold the model than to meet the deadline."),
        Mistake("deadline forgotten", _like(needs=lambda memory, time: memory), "You left out the deadline. The arithmetic has to be done within the days."),
        Mistake("needs added", _like(needs=lambda memory, time: memory + time), "You added the two needs. The same chips hold the model and compute: the larger need counts."),
        Mistake("money alone", _like(has=lambda money, power: money), "You left out the power. It limits the number of chips as the money does."),
        Mistake("power alone", _like(has=lambda money, power: power), "You left out the money. It limits the number of chips as the power does."),
        Mistake("larger limit", _like(has=max), "You took the larger of the two limits. Both must be kept: the smaller one counts."),
        Mistake("smaller need", _like(needs=min), "You took the smaller of the two needs. Both must be met: the larger one counts."),
        Mistake("weights alone", _like(each=2.0), "You held the weights alone. Training holds weights, gradients and optimizer states: 16 bytes for each parameter."),
        Mistake("saved states", _like(each=14.0), "You held 14 bytes for each parameter. That is the size of a checkpoint; a chip holds the gradients as well."),
        Mistake("rounded down", _like(up=floor), "You rounded a need down. With one chip fewer the model does not fit or the run is late: round up."),
        Mistake("rounded up", _like(down=ceil), "You rounded a limit up. There is no money or power for the last chip: round down."),
        Mistake("to the nearest", _like(up=round, down=round), "You rounded to the nearest whole number. Round a need up, or a chip is missing, and a limit down, or one is too many."),
        Mistake("both the wrong way", _like(up=floor, down=ceil), "You rounded both the wrong way. Round a need up and a limit down."),
        Mistake("not whole", _like(up=float, down=float), "You returned parts of chips. Round a need up and a limit down."),
        Mistake("most first", lambda **given: chips(**given)[::-1], "Your two numbers are in the wrong order: return how many are needed first."),
        Mistake("FLOP/s", _like(tera=1.0), "You used TFLOP/s as if they were FLOP/s. A TFLOP/s is 10¹² operations per second.", UNIT),
        Mistake("GiB", _like(each=STATES * 1e9 / 2**30), "You mixed up GB and GiB, or took a billion for 2³⁰. A GB is 10⁹ bytes and a billion parameters are 10⁹, so the two cancel.", UNIT),
        Mistake("hours for days", _like(day=3600.0), "You used days as if they were hours. A day has 86,400 s.", UNIT),
        Mistake("seconds for days", _like(day=1.0), "You used days as if they were seconds. A day has 86,400 s.", UNIT),
        Mistake("kilowatts", _like(mega=1e3), "You used megawatts as if they were kilowatts. A megawatt is 10⁶ W.", UNIT),
    ),
)  # fmt: skip


def _told(chip):
    scenario = capstone.Scenario(
        model="Llama 3.1 405B", tokens=15.6e12, global_batch=2048, capital_dollars=500e6, watts=20e6,
        deadline_seconds=90 * DAY,
    )  # fmt: skip
    found = capstone.bounds(scenario, chip)
    return 100 * found.fewest_chips / found.most_chips
