"""Listed reasons of measurements that do not count, and of models without measurements."""

from importlib import import_module

import pytest

import chip2cluster
from chip2cluster import reality
from chip2cluster.reality import measurement_tables
from tests.models.reality_helpers import KINDS, PACKAGE, held_out
from tests.tables import every_row

# What does not count, and what is not there


def test_accounting_is_separate_from_forecasts():
    books = [kind for kind in KINDS if not kind.forecasts]
    assert [kind.name for kind in books] == ["footprint", "mfu"]
    assert list(reality.accounting().index) == [kind.title for kind in books]
    assert not {kind.short for kind in books} & set(reality.summary().index)
    assert all(point.kind.forecasts for point in reality.worst(100_000))
    extent = reality.extent()
    assert extent["forecasts"] == reality.errors()["count"] and extent["checks"] == sum(
        len(held_out(kind)) for kind in books
    )
    rows = sum(len(kind.rows) for kind in KINDS)
    assert extent["forecasts"] + extent["checks"] + extent["fitted"] + extent["set_aside"] == rows
    assert extent["kinds"] == len(KINDS) - len(books) == len(reality.summary())


def test_rows_without_measurement_do_not_count():
    """Expected rates, test targets, rules of thumb, and inaccessible sources do not count."""
    for kind in KINDS:
        for row in kind.rows:
            text = f"{row.software} {row.publication.title}"
            if "MaxText" in text or "regression targets" in text or "source C" in text:
                assert not row.counts, row.id
    aside = reality.set_aside()
    assert aside["rows"].sum() == sum(bool(row.uncounted) for kind in KINDS for row in kind.rows)
    assert all(aside["because"])


def test_tables_of_sweeps_are_complete():
    """Sizes of AWS double from row to row; the first day of BLOOM's search is there; so are all kernels of a sweep."""
    for table in ("aws-p4de", "aws-p5"):
        sizes = [row.given["message_bytes"] for row in reality.kind("tuner").rows if row.id.startswith(table)]
        sizes += [row.given["message_bytes"] for row in reality.kind("nodes").rows if row.id.startswith(table)]
        assert sizes == [8 * 2**step for step in range(len(sizes))]
    search = [row for row in reality.kind("pipeline").rows if row.table == "bloom"]
    days = [row.given["day"] for row in search]
    assert days[0] == "2022-02-20" and all((row.given["day"] == days[0]) == row.fitted for row in search)
    kernels = [row.system for row in reality.kind("triad").rows if row.software.startswith("gpu-stream")]
    assert all(kernels.count(system) == 6 for system in kernels)


def test_omitted_rows_are_listed_with_reasons():
    listed = reality.left_out()
    assert len(listed) == sum(len(kind.left_out) for kind in KINDS) and all(listed["because"])
    assert set(reality.notes()["note"]) == {row.note for kind in KINDS for row in kind.rows if row.note}


def test_published_shapes_match_their_sizes():
    """Table 1 of arXiv:2104.04473: parameters 12 l h^2 (1 + 13/12h + (V + s)/12lh), devices a product, and the whole rate.

    The smallest two are printed a little larger than their shapes make them.
    """
    rows = [row for row in reality.kind("pipeline").rows if row.table == "narayanan"]
    petaflops = (4.4, 8.8, 18.2, 34.6, 70.8, 143.8, 227.1, 297.4, 410.2, 502.0)
    assert len(rows) == len(petaflops)
    for row, printed in zip(rows, petaflops, strict=True):
        layers, width, devices = row.given["layers"], row.given["d_model"], row.given["devices"]
        size = 12 * layers * width**2 * (1 + 13 / (12 * width) + (51200 + 2048) / (12 * layers * width))
        assert size == pytest.approx(1e9 * row.given["billions"], rel=0.04)
        assert devices % (row.given["tensor"] * row.given["pipeline"]) == 0
        assert row.measured * devices == pytest.approx(1e15 * printed, rel=0.006)


# Every model has its place


def test_every_tested_model_exists_and_is_called():
    code = "".join(file.read_text(encoding="utf-8") for file in (PACKAGE / "reality/predictors").glob("*.py"))
    for kind in KINDS:
        for model in kind.models:
            module, name = model.split(".")
            assert hasattr(import_module(f"chip2cluster.{module}"), name) and f"{module}.{name}" in code, model


def test_every_package_is_compared_or_listed():
    compared = {model for kind in KINDS for model in kind.models}
    without = reality.unmeasured()
    assert compared.isdisjoint(without) and all(without.values())
    for model in without:
        module, name = model.split(".")
        assert hasattr(import_module(f"chip2cluster.{module}"), name), model
    rooms = set(chip2cluster.__all__) - {"draw", "explore", "predict", "reality", "shell", "units"}
    assert rooms <= {model.split(".")[0] for model in (*compared, *without)}


def test_kinds_are_files_with_predictors():
    predictors = {file.stem for file in (PACKAGE / "reality/predictors").glob("*.py")} - {"__init__"}
    assert predictors == set(measurement_tables.names())


@every_row("ask", [reality.kind, reality.fitted, reality.records, reality.points, reality.errors, reality.in_band])
def test_unknown_kind_names_the_choices(ask):
    with pytest.raises(ValueError, match="kind must be one of .*'triad'.*got 'luck'"):
        ask("luck")


def test_worst_needs_a_whole_number():
    with pytest.raises(ValueError, match="count must be a whole number"):
        reality.worst(2.5)
    assert [point.factor for point in reality.worst(3)] == sorted(
        (point.factor for point in reality.worst(3)), reverse=True
    )


# The list of sources


def test_publications_are_listed_once():
    listed = reality.sources()
    assert isinstance(listed, reality.Sources)
    assert sum(count for _, count in listed.rows) == sum(len(kind.rows) for kind in KINDS)
    assert {one for one, _ in listed.rows} == {row.publication for kind in KINDS for row in kind.rows}
    html = listed._repr_html_()
    assert html.count("<tr>") == len(listed.rows) + 1 and "<details>" in html
    assert all(one.address in str(listed) for one, _ in listed.rows)


def test_parameters_of_other_kinds_use_other_sweeps():
    """The roof of Little's law is a share fitted to three chips: none of them may count there."""
    source = {row.publication.address for row in reality.kind("triad").rows if row.fitted}
    for name in ("little", "gemm", "attention"):
        counted = {row.publication.address for row in reality.kind(name).rows if not row.fitted}
        assert source.isdisjoint(counted), name
