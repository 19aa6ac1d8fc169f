"""Questions on money, energy and carbon."""

from ... import economics, specs
from .model import Question

_KWH = 3.6e6  # J
_RENT = 2.99  # dollars an hour of an H100, as the page says
_GPT3, _LLAMA = (2020.4, 3.14e23), (2024.6, 3.8e25)  # when, and FLOP as their papers print them


def _chats():
    few, *_, many = economics.measured_answers("Llama 3.1 70B")
    return few, many


def _tokens():
    few, _ = _chats()
    return economics.dollars_per_million_tokens(few.devices, _RENT, few.output_tokens_per_second)


def _why_tokens(truth):
    _, many = _chats()
    full = economics.dollars_per_million_tokens(many.devices, _RENT, many.output_tokens_per_second)
    return (
        f"Four of them cost 11.96 dollars an hour, in which they write 1.7 million tokens: {truth:.2f} dollars a million. With about 900 chats "
        f"at a time it is {full:.2f}, on the same chips at the same price."
    )


def _share():
    chips = economics.device_energy(8, 1.0, specs.accelerator("H100 SXM").tdp_watts)
    return 100 * chips / economics.facility_energy(10.2e3, 1.2)


def _why_share(truth):
    return (
        f"The building takes in 1.2 times 10.2 kW, 12.2 kW, and 5.6 kW of them reach the GPUs: {truth:.0f} %. So a meter at the "
        "wall shows more than twice what one at the chips shows, and neither is wrong."
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
    return economics.measured_tunings()[-1].node_joules_dc / _KWH


def _why_nodes(truth):
    one, *_, many = economics.measured_tunings()
    same = one.node_joules_dc / _KWH * many.nodes * many.seconds / one.seconds
    return (
        f"64 nodes for 1/13.8 of the time are 4.6 times as many node-hours. At the same power that would be {same:.1f} kWh; nodes "
        f"that wait for each other draw a bit less, so it is {truth:.1f}."
    )


def _demand():
    return economics.growth_factor([_GPT3[0], _LLAMA[0]], [_GPT3[1], _LLAMA[1]])


def _why_demand(truth):
    return (
        f"In 4.2 years it is 121 times as much. That to the power of 2/4.2 is {truth:.0f}: every two years a run costs ten times the "
        "arithmetic of the one before."
    )


QUESTIONS = (
    Question(
        "economics.tokens",
        "Four H100 at 2.99 dollars an hour each write 470 tokens a second together, for 8 chats at a time. How many dollars does a million tokens cost?",
        "dollars", _tokens, _why_tokens,
    ),
    Question(
        "economics.share",
        "A node with eight GPUs of 700 W draws 10.2 kW in all. It stands in a building with a PUE of 1.2. Of what the building "
        "takes in for it, how many per cent reach the GPUs?",
        "%", _share, _why_share,
    ),
    Question(
        "economics.watts",
        "Four H100 that answer 8 chats with a model of 70 billion parameters draw 1,765 W together (of 2,800 W at the most). How many "
        "watts do they draw with about 900 chats at a time?",
        "W", _watts, _why_watts,
    ),
    Question(
        "economics.nodes",
        "One node needs 29 minutes and 3.27 kWh for a tuning. 64 nodes are 13.8 times as fast. How many kWh do they need?",
        "kWh", _nodes, _why_nodes,
    ),
    Question(
        "economics.demand",
        "GPT-3 (May 2020) was trained with 3.14e23 FLOP, the largest Llama 3.1 (July 2024) with 3.8e25. By what factor did the largest "
        "trainings of these years grow in two years?",
        "times", _demand, _why_demand,
    ),
)  # fmt: skip
