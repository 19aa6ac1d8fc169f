"""The explorer of flows on a hash: every state agrees with the models."""

import itertools
import math
import re

import pytest

from chip2cluster import explore, predict, topology
from chip2cluster.chapters.bisection.explorers.flows import NUMBERS, PARTS

STATES = list(itertools.product(NUMBERS, NUMBERS[1:], PARTS))


@pytest.mark.sampled(24)
@pytest.mark.parametrize("flows, uplinks, routing", STATES)
def test_every_state_shows_what_the_models_say(flows, uplinks, routing):
    view = explore.flows(flows, uplinks=uplinks, routing=routing)
    rows = {row["routing"]: row for row in view.table}
    hashed, split, spread = (rows[name] for name in PARTS)
    assert hashed["fullest uplink (flows)"] == topology.hash_worst_load(flows, uplinks)
    assert spread["fullest uplink (flows)"] == flows / uplinks and spread["probability of an even spread"] == 1
    assert spread["last flow arrives (ms)"] == pytest.approx(20 * max(1, flows / uplinks))
    for row in rows.values():
        assert row["bandwidth left (%)"] == pytest.approx(
            100 * spread["last flow arrives (ms)"] / row["last flow arrives (ms)"]
        )
    assert hashed["bandwidth left (%)"] <= split["bandwidth left (%)"] + 1e-9 <= 100 + 1e-6
    chosen = rows[routing]
    assert view.current.table.rows[view.current.table.marked][0] == routing
    assert f"{flows} flow" in view.sentence and f"{uplinks} uplinks" in view.alt
    assert (routing == "spray packets") == ("overtake" in view.sentence)
    if routing == "hash":
        assert f"{chosen['fullest uplink (flows)']:.2f} flows" in view.sentence
        listed = view.alt.split("One throw puts ")[1].split(" flows on")[0]
        thrown = [float(load) for load in listed.split(", ")]
        assert len(thrown) == uplinks and sum(thrown) == flows


def test_a_clean_throw_of_eight_on_eight():
    row = explore.flows().table[0]
    assert row["probability of an even spread"] == pytest.approx(math.factorial(8) / 8**8)
    assert "0.24 % of all throws" in explore.flows().sentence
    assert explore.flows(size=10, link=100).table[0]["last flow arrives (ms)"] == pytest.approx(259.72, abs=0.01)
    one, other = (explore.flows(throw=number) for number in (1, 2))
    assert one.table == other.table and one.alt != other.alt


def test_one_flow_and_a_mean():
    view = explore.flows(1, uplinks=8)
    assert (
        view.alt.startswith("1 flow on 8 uplinks keeps 100 %")
        and "1 flow on 8 uplinks puts 1.00 flows" in view.sentence
    )
    assert "fills all uplinks" in view.set(routing="spray packets").sentence
    # The step of equation (8.8) is a mean: some throws end earlier.
    assert "after 51.9 ms on average, latency left out" in explore.flows().sentence


def test_both_lines_of_the_throw_carry_their_number():
    for throw in range(1, 9):
        svg = explore.flows(8, routing="hash of 16 queue pairs", throw=throw).current.picture.svg
        found = re.findall(r'<text x="58.0" y="([\d.]+)"[^>]*>([\d.]+)<', svg)
        heights = {text: float(y) for y, text in found}
        assert "1" in heights and len(heights) == 2, heights
        assert abs(max(heights.values()) - min(heights.values())) >= 13


def test_the_still_and_bad_values():
    view = explore.flows(16, uplinks=8)
    assert '<img alt="16 flows on 8 uplinks keep' in view.still() and view.current.picture.png()[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="routing must be one of 'hash', 'hash of 16 queue pairs', 'spray packets'"):
        explore.flows(routing="ecmp")
    with pytest.raises(ValueError, match="flows must be one of 1, 2, 4"):
        explore.flows(3)


def test_the_truth_of_the_question():
    question = next(q for q in predict.QUESTIONS if q.id == "bisection.hash")
    assert question.truth() == pytest.approx(100 / 2.5972, rel=1e-4)
    assert len(question.explain(question.truth())) < 320
