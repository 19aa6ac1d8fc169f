"""The explorers of costs: sums done by hand, rows as they were measured, training runs as they were published."""

import pytest

from chip2cluster import economics, explore

# --- buy or rent -----------------------------------------------------------------------


@pytest.mark.parametrize("years, kwh, equal", [(4, 0.1, 38), (6, 0.1, 27), (4, 0.3, 42)])
def test_owner_and_tenant_are_equal_where_a_hand_reckons_it(years, kwh, equal):
    calendar = (35000 * 0.9 / years + 1500) / 8760
    energy = 1.275 * 1.2 * kwh
    assert round(100 * calendar / (2.99 - energy)) == equal
    assert f"Break-even: {equal} % of all hours" in explore.rent(0.5, years, kwh, interest_per_year=0.0).sentence


@pytest.mark.parametrize("interest, space, equal", [(0.08, 0, 45), (0.12, 0, 49), (0, 184.06, 49), (0.08, 184.06, 57)])
def test_interest_and_rented_space_raise_the_break_even(interest, space, equal):
    view = explore.rent(interest_per_year=interest, space_dollars_per_kw_month=space)
    assert f"Break-even: {equal} % of all hours" in view.sentence


@pytest.mark.parametrize("used", [0.05, 0.35, 0.4, 1.0])
def test_hourly_costs_add_up_and_the_cheaper_is_named(used):
    view = explore.rent(used, interest_per_year=0.0)
    *parts, whole, rent = [row["per used hour ($)"] for row in view.table]
    assert (
        sum(parts) == pytest.approx(whole) == pytest.approx((35000 * 0.9 / 4 + 1500) / 8760 / used + 1.275 * 1.2 * 0.1)
    )
    assert f"{'buying' if whole < rent else 'renting'} is cheaper" in view.sentence
    assert (used < 0.38) == (rent < whole)


def test_numbers_of_ones_own_take_part():
    view = explore.rent(0.62, rent_dollars_per_hour=0.9, watts=900, interest_per_year=0)
    assert view.values["used_fraction"] == 0.62 and view.values["watts"] == 900
    assert "never: it would take 135 % of all hours" in view.sentence
    costly = explore.rent(rent_dollars_per_hour=0.1)
    assert "never, because energy alone costs as much as the rent" in costly.sentence


@pytest.mark.parametrize("given, says", [
    ({"used_fraction": 1.2}, "used_fraction must be at most 1, got 1.2"),
    ({"used_fraction": 0}, "used_fraction must be greater than zero"),
    ({"interest_per_year": 8}, "interest_per_year must be at most 1, got 8"),
    ({"pue": 0.9}, "pue must be at least 1, got 0.9"),
    ({"year": 4}, "there is no control 'year' .did you mean 'years'"),
])  # fmt: skip
def test_a_wrong_number_is_named(given, says):
    with pytest.raises(ValueError, match=says):
        explore.rent(**given)


# --- joules ----------------------------------------------------------------------------


def test_every_point_is_a_row_that_was_measured():
    seen = 0
    for row in economics.measured_answers():
        shown = explore.joules(row.max_sequences, row.model)
        here = shown.table[shown.current.table.marked]
        assert here["energy per token (J)"] == pytest.approx(row.mean_watts / row.output_tokens_per_second)
        assert here["time per output token (ms)"] == pytest.approx(1e3 * row.median_seconds_between_tokens)
        seen += 1
    assert seen <= 30


def test_second_half_of_batches_saves_less_than_the_first():
    first, last = explore.joules(16).sentence, explore.joules(256).sentence
    assert "From 8 to 16 the joules fall by a factor of 1.80" in first
    assert "From 128 to 256 the joules fall by a factor of 1.18" in last
    assert "898 chats on average (at most 1,024)" in explore.joules(1024).sentence


def test_a_model_without_this_batch_goes_to_the_nearest():
    view = explore.joules(1024)
    view.set(model="Llama 3.1 405B")
    assert view.values["chats"] == 512 and "is not offered here" in view.sentence
    with pytest.raises(ValueError, match="chats must be one of 8, 16"):
        explore.joules(9)


# --- from hours to tonnes --------------------------------------------------------------


@pytest.mark.parametrize(
    "run, tonnes", [("GPT-3 175B", 552.1), ("PaLM 540B", 271.43), ("Llama 2 70B", 291.42), ("Meena 2.6B", 96.4)]
)
def test_published_trainings_follow_from_their_factors(run, tonnes):
    view = explore.footprint(run)
    assert float(view.table[-1]["product so far"].removesuffix(" t")) == pytest.approx(tonnes, rel=0.01)
    assert "not published" not in view.sentence and "not published" not in view.alt


def test_another_grid_is_a_multiplication():
    for grid, tonnes in (("France", 72.2), ("Poland", 853)):
        last = explore.footprint("GPT-3 175B", grid).table[-1]
        assert float(last["product so far"].removesuffix(" t")) == pytest.approx(tonnes, rel=0.002)
    *_, watts, pue, grid = explore.footprint().table
    assert grid["highest (t)"] / grid["lowest (t)"] > 10 > 3 > watts["highest (t)"] / watts["lowest (t)"]
    assert pue["highest (t)"] / pue["lowest (t)"] == pytest.approx(1.8)


def test_what_is_not_printed_is_marked_and_its_product_told():
    view = explore.footprint("Llama 3.1 405B")
    assert [row["source"] for row in view.table] == [
        "published",
        "published",
        *["not published, assumed"] * 2,
    ]
    # 8,930 t over 30.84 million hours of 700 W.
    assert f"{8930e6 / (30.84e6 * 0.7):.0f} g for each kWh of the GPUs" in view.sentence
    assert "a PUE of 1.00" in explore.footprint("BLOOM 176B, dynamic").sentence
    assert explore.footprint("Llama 3.1 405B", "France", 1.5).table[2]["source"] == "not published, assumed"


def test_the_watts_say_what_they_count():
    assert "Scope of its watts: measured, with host, memory and network." in explore.footprint().sentence
    assert "Scope of its watts: TDP, device only." in explore.footprint("Llama 2 70B").sentence
    assert "Scope of its watts: not stated." in explore.footprint("Gopher 280B, as counted by Luccioni").sentence
    assert "245 W (a mean with its host) to 700 W (a TDP)" in explore.footprint().current.table.note
    assert "100 W to 700 W (a TDP)" in explore.footprint(watts=100).current.table.note


def test_a_training_of_ones_own_takes_part():
    view = explore.footprint(gpu_hours=1000, watts=600, grid="Germany", pue=1.2)
    assert view.table[-1]["product so far"] == "0.274 t" and view.table[0]["source"] == "yours"
    with pytest.raises(ValueError, match="watts must be greater than zero"):
        explore.footprint(watts=0)
    with pytest.raises(ValueError, match="grid must be one of 'as published', 'Norway'"):
        explore.footprint(grid="Mars")


@pytest.mark.parametrize("kind", [explore.rent, explore.joules, explore.footprint], ids=lambda kind: kind.__name__)
def test_every_value_draws_both_widths(kind):
    view = kind()
    for control in view.controls:
        for value in control.choices(view.values):
            picture = view.reset().set(**{control.name: value}).current.picture
            assert picture.title and picture.narrow.title
