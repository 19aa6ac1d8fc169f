"""The explorers of the whole machine: what the models say at every place, and the same failures in both runs."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from chip2cluster import capstone, explore, specs
from chip2cluster.capstone import Design, FailureRates, Scenario
from tests.tables import every_row

DAY = 86400.0


# --- a machine that is put together ----------------------------------------------------


@pytest.mark.parametrize("values", [
    {}, {"nodes": 64, "network": "100 Gb/s"}, {"chip": "B200", "nodes": 256, "spares": 4},
    {"chip": "A100", "interval": "3 h", "mtbf": "100 days"}, {"model": "Llama 3.1 405B", "nodes": 2048, "oversubscription": 4.0},
])  # fmt: skip
def test_a_machine_is_what_the_model_says_of_it(values):
    if values.get("chip") == "A100":
        with pytest.raises(ValueError, match="A100"):  # four of them: which?
            explore.cluster(**values)
        values = values | {"chip": "a100 sxm 80gb"}
    view = explore.cluster(**values)
    now = view.values
    tokens = 15.6e12 if "405B" in now["model"] else 15e12
    scenario = Scenario(
        model=now["model"], tokens=tokens, global_batch=2048,
        failures=FailureRates(node_mtbf=now["mtbf"], group_nodes=32, group_mtbf=500 * DAY),
    )  # fmt: skip
    design = Design(
        chip=now["chip"], nodes=now["nodes"], nic_bytes_per_second_one_way=now["network"], spares=now["spares"],
        oversubscription=now["oversubscription"], storage_bytes_per_second=now["storage"],
        checkpoint_interval=None if now["interval"] == "the best" else now["interval"],
    )  # fmt: skip
    out = capstone.evaluate(design, scenario)
    by_unit = {}
    for part in ("the run and the bill", "the nodes", "the step"):
        for row in view.set(part=part).table:
            by_unit.setdefault(row["in"], []).append(row)
    sums = {unit: sum(row["amount"] for row in rows) for unit, rows in by_unit.items()}
    assert sums["s"] == pytest.approx(out.step_seconds)
    assert sums["days"] == pytest.approx(out.days)
    assert sums["million dollars"] == pytest.approx(out.dollars / 1e6)
    assert sums["nodes"] == now["nodes"] + now["spares"]
    assert all(sum(row["share (%)"] for row in rows) == pytest.approx(100) for rows in by_unit.values())
    assert view.table[0]["share (%)"] == pytest.approx(100 * out.mfu)
    assert f"{out.days:,.1f} days" in view.sentence and f"MFU {100 * out.mfu:.0f} %" in view.current.picture.title
    worst = view.table[view.current.table.marked]
    assert worst["part"] in view.sentence
    assert worst["amount"] == max(row["amount"] for row in by_unit["s"][2:])


def test_parts_of_a_cluster_have_one_height_and_a_short_table():
    view = explore.cluster()
    heights = set()
    for part in ("the step", "the run and the bill", "the nodes"):
        picture = view.set(part=part).current.picture
        heights.add((picture.height, picture.narrow.height))
        assert 3 <= len(view.table) <= 7 and picture.title == "67.8 days, $23.5 million, MFU 41 %"
    assert len(heights) == 1 and heights.pop()[0] <= 300


def test_what_stands_there_can_be_replayed():
    view = explore.cluster("B200", nodes=256)
    out = capstone.evaluate(view.design, view.scenario)
    assert f"{out.days:,.1f} days" in view.sentence
    again = explore.replay(5, change="nothing", luck=3, design=view.design, scenario=view.scenario)
    run = capstone.play(view.design, view.scenario, 3)
    assert again.table[0]["tokens (%)"] == pytest.approx(100 * run.days[4].tokens / 15.6e12)


def test_more_nodes_take_fewer_days_and_each_does_less():
    views = [explore.cluster(nodes=nodes) for nodes in (256, 1024, 4096)]
    shares = [view.table[0]["share (%)"] for view in views]
    days = [view.set(part="the run and the bill").table[0]["amount"] for view in views]
    assert days == sorted(days, reverse=True) and shares == sorted(shares, reverse=True)


def test_a_machine_that_cannot_run_it_names_the_nearest_that_can():
    view = explore.cluster("H100 SXM", model="Llama 3.1 405B", nodes=8)
    assert "It cannot run" in view.current.picture.title and "The nearest that can has 16 nodes" in view.sentence
    assert view.set(nodes=16).current.picture.title.endswith("%")


def test_a_training_of_ones_own_brings_its_limits_and_failures():
    own = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512, deadline_seconds=3 * DAY,
                   failures=FailureRates(node_mtbf=77 * DAY))  # fmt: skip
    view = explore.cluster("H100 SXM", nodes=16, scenario=own)
    assert view.values["mtbf"] == 77 * DAY and view.values["model"] == "Llama 3 8B"
    assert "It breaks a limit: deadline." in view.sentence
    assert "It breaks" not in view.set(nodes=128).sentence
    chip = specs.own("mine", dense={"bf16": "2 PFLOP/s"}, memory="200 GB", memory_bandwidth="8 TB/s", power="900 W")
    priced = replace(own, prices=capstone.Prices(chips={"mine": 9e3}))
    mine = explore.cluster(chip, nodes=16, scenario=priced)
    assert mine.values["chip"] is chip and "128 × mine" in mine.current.table.caption
    assert mine.set(chip="H100 SXM").table[0]["amount"] == view.set(nodes=16).table[0]["amount"]
    assert explore.cluster(nodes=24, network=33e9).values["network"] == 33e9


@every_row("values, says", [
    ({"chip": "H1000"}, "H1000"),
    ({"chip": "RTX 4090"}, "has no price here"),
        ({"chip": "TPU v5p"}, "watts_per_chip must be given for the TPU v5p"),
    ({"nodes": 0}, "nodes must be at least 1"),
    ({"network": "400 GB"}, "is asked for"),
    ({"oversubscription": 0.5}, "oversubscription must be at least 1"),
    ({"interval": -5}, "checkpoint_interval must be greater than zero"),
    ({"scenario": "mine"}, r"scenario must be a capstone\.Scenario"),
    ({"nodse": 5}, "did you mean 'nodes'"),
])  # fmt: skip
def test_a_wrong_machine_is_named(values, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.cluster(**values)


# --- the same days again ---------------------------------------------------------------


@cache
def replayed():
    return explore.replay()


def runs(view):
    """Both runs of the present state, played anew."""
    from chip2cluster.chapters.design.explorers import replay
    from chip2cluster.chapters.design.scenario import DESIGN as design
    from chip2cluster.chapters.design.scenario import SCENARIO as scenario

    seed, until = view._seeds[view.values["luck"]], view._days * DAY
    changed = {
        "a checkpoint every 2 h": {"checkpoint_interval": 7200.0}, "a quarter of the spares": {"spares": 8},
        "spares lent to others": {}, "nothing": {},
    }  # fmt: skip
    jobs = replay.others() if view.values["change"] == "spares lent to others" else ()
    second = replace(design, **changed[view.values["change"]])
    return [
        capstone.play(design, scenario, seed, until=until), capstone.play(second, scenario, seed, jobs=jobs, until=until)
    ]  # fmt: skip


@pytest.mark.parametrize("luck", ["an ordinary run", "a bad week"])
@pytest.mark.parametrize("change", ["a checkpoint every 2 h", "a quarter of the spares", "spares lent to others"])
def test_rows_are_the_days_of_the_runs(luck, change):
    view = replayed().set(luck=luck, change=change, day=33)
    for row, play in zip(view.table, runs(view), strict=True):
        days = play.days[:33]
        assert row["tokens (%)"] == pytest.approx(100 * days[-1].tokens / play.outcome.scenario.tokens)
        assert row["stops"] == sum(day.failures for day in days)
        assert row["lost (h)"] == pytest.approx(sum(day.lost_seconds for day in days) / 3600)
        assert row["waiting (h)"] == pytest.approx(sum(day.waiting_seconds for day in days) / 3600, abs=1e-6)
        assert (row["broken"], row["idle"]) == (days[-1].nodes_down, days[-1].spares_left)
    first, second = view.table
    assert first["tokens (%)"] > second["tokens (%)"] and "days behind" in view.sentence
    late = float(re.search(r"([\d.]+) days behind", view.sentence)[1])
    done = [play.tokens_at(np.array([(33 - late) * DAY, 33 * DAY])) for play in runs(view)]
    assert done[0][0] == pytest.approx(done[1][1], rel=0.01)


def test_replay_keeps_failures_across_changed_decisions():
    view = replayed().set(luck="an ordinary run", change="a checkpoint every 2 h", day=40)
    first, second = view.table
    assert first["stops"] == pytest.approx(second["stops"], abs=3) and first["broken"] == second["broken"]
    assert second["lost (h)"] > 3 * first["lost (h)"]  # 2 h instead of half an hour between checkpoints
    waits = view.set(change="a quarter of the spares").table
    assert waits[1]["waiting (h)"] > 1.2 * waits[0]["waiting (h)"]


def test_days_follow_each_other_and_the_axis_holds_still():
    view = replayed().set(change="nothing", luck="a bad week", day=0)
    tokens, stops = [], []
    for day in range(0, 81, 4):
        view.set(day=day)
        tokens.append(view.table[0]["tokens (%)"])
        stops.append(view.table[0]["stops"])
        assert len(view.table) == 1
    assert tokens == sorted(tokens) and stops == sorted(stops) and tokens[0] == 0 and tokens[-1] == pytest.approx(100)
    assert "all of them since day" in view.sentence


def test_worst_week_is_enlarged_on_its_own_axis():
    view = replayed().set(luck="a bad week", change="nothing")
    ticks = {day: set(re.findall(r">(\d+)</text>", view.set(day=day).current.picture.svg)) for day in (3, 10, 40, 69)}
    first = int(re.search(r"The worst week begins on day (\d+)\.", view.sentence)[1])
    for day in (3, 10):
        assert {str(tick) for tick in range(first + (first % 2), first + 7, 2)} <= ticks[day] and "60" not in ticks[day]
    assert "60" in ticks[40] & ticks[69]


def test_the_worst_week_is_the_one_with_least_progress():
    view = replayed().set(luck="a bad week", change="a quarter of the spares", day=60)
    first = int(re.search(r"The worst week begins on day (\d+)\.", view.sentence)[1])
    tokens = [0.0, *(day.tokens for day in runs(view)[0].days)]
    gained = [later - sooner for sooner, later in zip(tokens, tokens[7:], strict=False)]
    assert gained[first - 1] == pytest.approx(min(gained[: int(len(gained) * 0.8)]), rel=0.03)
    assert "worst week" not in view.set(luck="an ordinary run").sentence


def test_a_bad_week_shows_a_switch_and_the_nodes_it_took():
    view = replayed().set(luck="a bad week", change="nothing")
    sentences = [view.set(day=day).sentence for day in range(1, 50)]
    taken = [re.search(r"a switch took nodes ([\d,]+) to ([\d,]+) along", sentence) for sentence in sentences]
    spans = [[int(number.replace(",", "")) for number in match.groups()] for match in taken if match]
    assert spans and all(last - first == 31 and first % 32 == 0 for first, last in spans)


def test_a_slider_of_days_plays_and_others_do_not():
    content = replayed().content()
    assert {control["name"]: control.get("plays") for control in content["controls"]} == {
        "day": 400, "change": None, "luck": None,
    }  # fmt: skip


def test_a_run_of_ones_own_is_replayed():
    scenario = Scenario(model="Llama 3 8B", tokens=1e12, global_batch=512)
    view = explore.replay(3, luck=7, design=Design(chip="H100 SXM", nodes=16, spares=1), scenario=scenario)
    assert view.values["luck"] == "run 7" and "a bad week" not in view._by_name["luck"].options
    play = capstone.play(Design(chip="H100 SXM", nodes=16, spares=1), scenario, 7)
    assert view.table[0]["tokens (%)"] == pytest.approx(100 * play.days[2].tokens / 1e12)
    slow = replace(Design(chip="H100 SXM", nodes=16, spares=1), checkpoint_interval=7200.0)
    both = explore.replay(3, luck=7, design=Design(chip="H100 SXM", nodes=16, spares=1), scenario=scenario, other=slow)
    assert both.values["change"] == "your other design"
    assert both.table[1]["lost (h)"] == both.set(change="a checkpoint every 2 h").table[1]["lost (h)"]
    bare = explore.replay(design=Design(chip="H100 SXM", nodes=16, asynchronous=False), scenario=scenario)
    assert bare._by_name["change"].options == ("nothing", "a checkpoint every 2 h")


@pytest.mark.parametrize("given, says", [
    ({"day": 100}, "day must be one of"),
    ({"luck": -1}, "luck must be one of"),
    ({"change": "everything"}, "change must be one of 'nothing'"),
    ({"design": Design(chip="H100 SXM", nodes=16)}, "design and scenario must be"),
    ({"design": Design(chip="H100 SXM", nodes=1), "scenario": Scenario(model="Llama 3.1 405B", tokens=1e12, global_batch=512)},
     "design cannot run: no layout"),
    ({"design": Design(chip="H100 SXM", nodes=16), "scenario": Scenario(model="Llama 3 8B", tokens=1e9, global_batch=512)},
     "a training of 1 to 366 days on this design, got 0.01"),
    ({"design": Design(chip="H100 SXM", nodes=2**14), "scenario": Scenario(model="Llama 3.1 405B", tokens=1e14, global_batch=16384)},
     "at most 8,192 nodes"),
])  # fmt: skip
def test_what_cannot_be_replayed_is_named(given, says):
    with pytest.raises((ValueError, TypeError), match=says):
        explore.replay(**given)
