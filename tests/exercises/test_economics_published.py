"""The exercises on costs are held against what papers print."""

import numpy as np
import pytest

from autograder.exercises import exercise
from chip2cluster import economics
from tests.tables import every_row

SUSPECT = exercise("economics.audit").reference
TONNES = exercise("economics.tonnes").reference
GRID = exercise("economics.grid").reference
OWNED = exercise("economics.break_even").reference
TUNED = exercise("economics.greenest").reference


@every_row(
    ("printed", "word"),
    [
        # gpu_hours, watts, pue, mwh, grams_per_kwh, tonnes: as printed, 0 for what is not
        ((8404992, 378.5, 1.08, 0, 79, 271.43), "nothing"),  # PaLM
        ((1720320, 400, 1.1, 0, 385, 291.42), "nothing"),  # Llama 2 70B, with the factors of LLaMA
        ((1720320, 400, 0, 0, 385, 291.42), "pue"),  # the same where nobody names the PUE
        ((3552000, 330, 1.1, 1287, 429, 552.1), "nothing"),  # GPT-3, Patterson et al.
        ((0, 0, 1.1, 1287, 429, 502), "pue"),  # GPT-3, Luccioni et al.
        ((0, 0, 1.09, 324, 231, 70), "unexplained"),  # OPT there
        ((30.84e6, 700, 0, 0, 0, 8930), "not disclosed"),  # Llama 3.1 405B
    ],
)
def test_what_papers_print_is_audited_as_the_page_says(printed, word):
    assert SUSPECT(*printed) == word


def test_llama_2_emissions_follow_to_the_last_digit():
    for name, tonnes in (("7B", 31.22), ("13B", 62.44), ("34B", 153.90), ("70B", 291.42)):
        claim = economics.published_run(f"llama2-{name}").claim
        location, market = TONNES(claim.device_seconds / 3600, claim.mean_watts_per_device, 1.0, 1.1, 385.0, 1.0)
        assert location == pytest.approx(tonnes, abs=0.011) and market == 0


def test_what_is_known_of_a_grid_lies_in_its_range():
    low, high = GRID(3552000, 552.1, [300.0, 360.0], [1.05, 1.2])
    assert low < 429 < high
    assert GRID(3552000, 552.1, [330.0, 330.0], [1.1, 1.1]) == pytest.approx([428.2, 428.2], abs=0.1)


def test_fastest_tuning_is_greenest_only_with_high_overhead():
    runs = economics.measured_tunings()
    rows = [
        np.array([run.nodes for run in runs]),
        np.array([run.seconds for run in runs]),
        np.array([run.joules_dc / run.seconds / run.nodes / 1e3 for run in runs]),
    ]
    assert [TUNED(*rows, 64, 0.0, minutes) for minutes in (60, 29, 5, 2)] == [1, 8, 64, 0]


def test_greenest_run_has_the_smallest_facility_energy():
    for case in exercise("economics.greenest").visible_cases:
        told = case.inputs
        idle, end = told["idle_kilowatts"], 60 * told["deadline_minutes"]
        bills = {
            nodes: nodes * seconds * kilowatts
            + nodes * (end - seconds) * idle
            + (told["room_nodes"] - nodes) * end * idle
            for nodes, seconds, kilowatts in zip(told["nodes"], told["seconds"], told["kilowatts"], strict=True)
            if seconds <= end
        }
        assert TUNED(**told) == (min(bills, key=bills.get) if bills else 0)


def test_the_number_of_own_gpus_is_that_of_the_smallest_bill():
    for case in exercise("economics.break_even").visible_cases:
        demand, calendar, energy, rent = case.inputs.values()
        bills = [
            sum(own * calendar + min(need, own) * energy + max(need - own, 0) * rent for need in demand.tolist())
            for own in range(max(demand) + 1)
        ]
        assert OWNED(**case.inputs) == bills.index(min(bills))
