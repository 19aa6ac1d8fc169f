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
        f"With 900 chats they generate {many.output_tokens_per_second:,.0f} tokens a second, {many.output_tokens_per_second / few.output_tokens_per_second:.1f} times "
        f"as many, on the same chips at the same price: {truth:.2f} dollars instead of {alone:.2f}. A decode step reads all weights once, for any number of "
        "chats. But it is not 112 times cheaper, because each chat adds arithmetic and a KV cache of its own."
    )


def _own():
    cost = economics.own_cost(
        35e3, 4, residual_fraction=0.1, mean_watts=1275, pue=1.2, dollars_per_kwh=0.1, other_dollars_per_year=1500,
        interest_per_year=0.08,
    )  # fmt: skip
    return 100 * economics.break_even_used_fraction(cost.per_calendar_hour, _RENT, cost.energy)


def _why_own(truth):
    return (
        f"Depreciation, interest, staff and repair are 1.29 dollars for each calendar hour. A used hour saves the rent, less 15 cents of "
        f"energy: 1.29 / 2.84 is {truth:.0f} %. 35,000 dollars look like a lot next to 2.99, but four years have 35,040 hours."
    )


def _share():
    chips = economics.device_energy(8, 1.0, known("tdp_watts", specs.accelerator("H100 SXM").tdp_watts))
    return 100 * chips / economics.facility_energy(10.2e3, 1.2)


def _why_share(truth):
    return (
        f"Such a node is rated at up to 10.2 kW, because processors, network, fans and power supplies draw power, too. The building takes in 1.2 times "
        f"that, 12.2 kW, and 5.6 kW reach the GPUs: {truth:.0f} %. A meter at the gate shows more than twice what one at the chips shows, and both are right."
    )


def _watts():
    return _chats()[1].mean_watts


def _why_watts(truth):
    few, many = _chats()
    power, speed = many.mean_watts / few.mean_watts, many.output_tokens_per_second / few.output_tokens_per_second
    return (
        f"Only {power:.1f} times as much, for {speed:.1f} times the tokens: {truth:,.0f} W. With eight chats the memory is already busy "
        "all the time and draws its power; what is added is arithmetic. The joules per token fall to a tenth."
    )


def _nodes():
    return economics.measured_tunings()[-1].joules_dc / _KWH


def _why_nodes(truth):
    one, *_, many = economics.measured_tunings()
    return (
        f"They are {one.seconds / many.seconds:.1f} times as fast, not 64 times, so they take {64 * many.seconds / one.seconds:.1f} times as many node-hours. Each node "
        f"draws less then, {many.node_watts_dc / 1e3:.1f} kW and not {one.node_watts_dc / 1e3:.1f}: {many.node_joules_dc / _KWH:.1f} kWh. The network, which a single "
        f"node doesn't need, raises that to {truth:.1f}."
    )


def _demand():
    return economics.growth_factor([_GPT3[0], _LLAMA[0]], [_GPT3[1], _LLAMA[1]])


def _why_demand(truth):
    return (
        f"In 4.2 years, from 3.14e23 to 3.8e25 FLOP, they grew 121 times. To the power of 2/4.2 that is {truth:.0f}: every two years the largest run takes ten times the "
        "FLOP. Published runs only: those that publish nothing may be larger."
    )


QUESTIONS = (
    Question(
        "economics.tokens",
        "With 8 chats at a time a million tokens cost 7.07 dollars. The memory of the same four H100 holds about "
        "900 chats, 112 times as many, at the same rent. How many dollars does a million tokens cost then?",
        "dollars", _tokens, _why_tokens,
    ),
    Question(
        "economics.own",
        "The GPU of the text costs 35,000 dollars, an hour of a rented one 2.99. Guess before you compute: above what utilization, in percent of all "
        "hours, is buying cheaper?",
        "%", _own, _why_own,
    ),
    Question(
        "economics.share",
        "A node with eight GPUs of 700 W is in a building that takes in 1.2 times what its computers draw. Everything runs at its limit. Of every "
        "100 W that the building takes in, how many reach the GPUs?",
        "W", _share, _why_share,
    ),
    Question(
        "economics.watts",
        "Four H100 that serve 8 chats with a model of 70 billion parameters draw 1,765 W together, of at most 2,800 W. How many watts do they draw with "
        "about 900 chats at a time?",
        "W", _watts, _why_watts,
    ),
    Question(
        "economics.nodes",
        "One node of eight H100 takes 29 minutes and 3.27 kWh to fine-tune a model. 64 nodes do the same to the same loss. How many kWh do they take, "
        "network included?",
        "kWh", _nodes, _why_nodes,
    ),
    Question(
        "economics.demand",
        "From GPT-3 (May 2020) to the largest Llama 3.1 (July 2024) the FLOP of the largest published training runs kept growing. By what factor in two "
        "years?",
        "times", _demand, _why_demand,
    ),
)  # fmt: skip
