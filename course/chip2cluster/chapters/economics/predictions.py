"""Questions on money, energy and carbon."""

from chip2cluster import economics, specs
from chip2cluster._validate import known
from chip2cluster.predict.question import Question

_KWH = 3.6e6  # J
_RENT = 2.99  # dollars an hour of an H100, as the page says
_GPT3, _LLAMA = (2020.4, 3.14e23), (2024.6, 3.8e25)  # when, and FLOP as their papers print them


def _chats():
    few, *_, many = economics.measured_answers("Llama 3.1 70B")
    return few, many


def _tokens():
    _, many = _chats()
    return economics.dollars_per_million_tokens(many.devices, _RENT, many.output_tokens_per_second)


def _why_tokens(truth):
    few, many = _chats()
    alone = economics.dollars_per_million_tokens(few.devices, _RENT, few.output_tokens_per_second)
    return (
        f"With 900 chats they write {many.output_tokens_per_second:,.0f} tokens a second, {many.output_tokens_per_second / few.output_tokens_per_second:.1f} times "
        f"as many, on the same chips at the same price: {truth:.2f} dollars in place of {alone:.2f}. A step reads all weights once, for however many "
        "chats. It is not 112 times cheaper, though: each chat brings arithmetic and a cache of its own."
    )


def _own():
    cost = economics.own_cost(
        35e3, 4, residual_fraction=0.1, mean_watts=1275, pue=1.2, dollars_per_kwh=0.1, other_dollars_per_year=1500,
        interest_per_year=0.08,
    )  # fmt: skip
    return 100 * economics.break_even_used_fraction(cost.per_calendar_hour, _RENT, cost.energy)


def _why_own(truth):
    return (
        f"It loses 31,500 dollars in four years; with staff and space that is 1.07 dollars an hour of the calendar. A used hour spares the rent, less "
        f"15 cents of energy: 1.07 / 2.84 is {truth:.0f} %. 35,000 dollars look like much beside 2.99, but four years have 35,040 hours."
    )


def _share():
    chips = economics.device_energy(8, 1.0, known("tdp_watts", specs.accelerator("H100 SXM").tdp_watts))
    return 100 * chips / economics.facility_energy(10.2e3, 1.2)


def _why_share(truth):
    return (
        f"A node of this kind is sold for up to 10.2 kW. The building takes in 1.2 times that, 12.2 kW, and 5.6 kW of them reach the GPUs: "
        f"{truth:.0f} %. So a meter at the wall shows more than twice what one at the chips shows, and neither is wrong."
    )


def _watts():
    return _chats()[1].mean_watts


def _why_watts(truth):
    few, many = _chats()
    power, speed = many.mean_watts / few.mean_watts, many.output_tokens_per_second / few.output_tokens_per_second
    return (
        f"Only {power:.1f} times as much, for {speed:.1f} times the tokens: {truth:,.0f} W. With eight chats the memory works all the "
        "time and draws its power already; what comes on top is arithmetic. The joules of a token fall to a tenth."
    )


def _nodes():
    return economics.measured_tunings()[-1].joules_dc / _KWH


def _why_nodes(truth):
    one, *_, many = economics.measured_tunings()
    return (
        f"They are {one.seconds / many.seconds:.1f} times as fast, not 64 times, so they work {64 * many.seconds / one.seconds:.1f} times as many node-hours. A node "
        f"draws less then, {many.node_watts_dc / 1e3:.1f} kW and not {one.node_watts_dc / 1e3:.1f}: {many.node_joules_dc / _KWH:.1f} kWh. The network, which one "
        f"node doesn't need, makes it {truth:.1f}."
    )


def _demand():
    return economics.growth_factor([_GPT3[0], _LLAMA[0]], [_GPT3[1], _LLAMA[1]])


def _why_demand(truth):
    return (
        f"In 4.2 years, from 3.14e23 to 3.8e25 FLOP, it is 121 times as much. That to the power of 2/4.2 is {truth:.0f}: every two years a run costs ten times the "
        "arithmetic of the one before."
    )


QUESTIONS = (
    Question(
        "economics.tokens",
        "With 8 chats at a time a million tokens cost 7.07 dollars: 470 tokens a second, four H100 at 2.99 dollars an hour each. The memory holds "
        "about 900 chats at a time, 112 times as many. How many dollars does a million tokens cost then?",
        "dollars", _tokens, _why_tokens,
    ),
    Question(
        "economics.own",
        "The GPU of the text, for 35,000 dollars, against one for 2.99 dollars an hour. Guess before you reckon: from how many per cent of all "
        "hours on is it cheaper to own?",
        "%", _own, _why_own,
    ),
    Question(
        "economics.share",
        "A node with eight GPUs of 700 W stands in a building that takes in 1.2 times what its computers draw. All run at their limit. Of every "
        "100 W that the building takes in for the node, how many reach the GPUs?",
        "W", _share, _why_share,
    ),
    Question(
        "economics.watts",
        "Four H100 that answer 8 chats with a model of 70 billion parameters draw 1,765 W together (of 2,800 W at the most). How many "
        "watts do they draw with about 900 chats at a time?",
        "W", _watts, _why_watts,
    ),
    Question(
        "economics.nodes",
        "One node of eight H100 needs 29 minutes and 3.27 kWh for a tuning. 64 nodes do the same tuning to the same loss. How many kWh do they need, "
        "with the network between them?",
        "kWh", _nodes, _why_nodes,
    ),
    Question(
        "economics.demand",
        "The arithmetic of the largest trainings grows. From GPT-3 (May 2020) to the largest Llama 3.1 (July 2024): how many times did it become in "
        "two years?",
        "times", _demand, _why_demand,
    ),
)  # fmt: skip
