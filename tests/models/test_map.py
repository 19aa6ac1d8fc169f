"""The package's own text is a map: each question names functions that exist, and every subject has a question."""

import pydoc
import re
from importlib import import_module

import chip2cluster
from tests.tables import every_row

MAP = chip2cluster.__doc__.partition("A map of questions")[2].partition("Ten answers")[0]
NAMED = re.findall(r"\b([a-z]+)\.([a-z_]+)\b", MAP.partition("Interactive versions")[0])
SUBJECTS = set(chip2cluster.__all__) - {"draw", "explore", "predict", "units"}


@every_row(("model", "name"), NAMED)
def test_a_named_function_is_public(model, name):
    assert model in chip2cluster.__all__ and name in import_module(f"chip2cluster.{model}").__all__


def test_every_subject_answers_a_question():
    assert {model for model, _ in NAMED} == SUBJECTS


def test_each_line_asks_and_answers():
    lines = [line for line in MAP.partition("Interactive versions")[0].splitlines() if line.startswith("    ")]
    assert len(lines) > 20 and len(set(NAMED)) == len(NAMED)
    assert all(re.fullmatch(r"    [A-Z].+\? +[a-z]+\.[a-z_]+(, [a-z]+\.[a-z_]+)*", line) for line in lines)


def test_help_shows_the_map():
    shown = re.sub("\b.", "", pydoc.plain(pydoc.render_doc(chip2cluster)))
    assert "Is my batch too small for my network?" in shown and "utilization.critical_tokens" in shown
    assert shown.index("A map of questions") < 1200  # on the first screen


def test_help_names_the_abbreviations_of_the_field():
    abbreviations = (
        "TTFT TPOT ITL SLO KV GQA MQA MLA MoE DP TP PP CP EP FSDP MFU HFU OOM NVLS SHARP RDMA ECMP NCCL NIC PUE MTBF"
    )
    shown = re.sub("\b.", "", pydoc.plain(pydoc.render_doc(chip2cluster)))
    assert [word for word in abbreviations.split() if not re.search(rf"\b{word}\b", shown)] == []


def test_the_explorers_are_listed_where_the_map_says():
    from chip2cluster import explore

    assert "explore.explorers()" in chip2cluster.__doc__ and "roofline" in explore.explorers()
