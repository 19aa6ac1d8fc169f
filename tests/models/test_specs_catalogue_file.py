"""File of the catalogue: its schema, its canonical form, and the formatter."""

import json
from copy import deepcopy
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator

from chip2cluster import specs
from chip2cluster.specs import __main__ as command
from chip2cluster.specs.catalogue import canonical_text, format_file, load

DATA = files("chip2cluster") / "data"
FILE, SCHEMA = DATA / "accelerators.json", json.loads((DATA / "accelerators.schema.json").read_text(encoding="utf-8"))


def test_schema_is_valid():
    Draft202012Validator.check_schema(SCHEMA)
    assert load()["$schema"] == "accelerators.schema.json"


def test_file_follows_its_schema():
    problems = [f"{list(one.absolute_path)}: {one.message}" for one in Draft202012Validator(SCHEMA).iter_errors(load())]
    assert not problems


@pytest.mark.parametrize("change", [
    lambda chip: chip.update(watts=700),
    lambda chip: chip["memory_bandwidth"].update(value=None),
    lambda chip: chip["memory_bandwidth"].update(value=-1.0),
    lambda chip: chip["memory_bandwidth"].pop("source"),
    lambda chip: chip["memory_bandwidth"].update(confidence="sure"),
    lambda chip: chip["memory_bandwidth"].update(second_readings=[{"source": "nvidia-v100"}]),
    lambda chip: chip["memory_bandwidth"].update(second_readings=[{"source": "nvidia-v100", "value": 1.0, "links": 2}]),
    lambda chip: chip.update(announced=True),
    lambda chip: chip.update(unchecked={"power": "no second sheet"}),
    lambda chip: chip.update(kind="card"),
])  # fmt: skip
def test_schema_refuses_a_malformed_record(change):
    data = deepcopy(load())
    change(data["accelerators"][0])
    assert not Draft202012Validator(SCHEMA).is_valid(data)


def test_file_is_in_canonical_form():
    text = FILE.read_text(encoding="utf-8")
    assert text == canonical_text(json.loads(text)), "run `python -m chip2cluster.specs`"


def test_canonical_form_keeps_every_value():
    data = load()
    again = json.loads(canonical_text(data))
    assert again == data and canonical_text(again) == canonical_text(data)
    numbers = {"small": 0.1, "odd": 1.2345678901234567e15, "negative": -2.5e6, "whole": 3, "none": None, "flag": True}
    back = json.loads(canonical_text(numbers))
    assert back == numbers and [type(one) for one in back.values()] == [type(one) for one in numbers.values()]


def test_formatter_rewrites_a_file_once(tmp_path, capsys):
    file = tmp_path / "chips.json"
    file.write_text(json.dumps(load()), encoding="utf-8")
    assert command.main(["--check", str(file)]) == 1 and "not in canonical form" in capsys.readouterr().err
    assert command.main([str(file)]) == 0 and "formatted" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8") == FILE.read_text(encoding="utf-8")
    assert command.main([str(file)]) == 0 and "unchanged" in capsys.readouterr().out
    assert command.main(["--check", str(file)]) == 0 and format_file(file, check=True)


def test_precisions_are_those_of_the_chips():
    used = {name for a in specs.accelerators() for name in (*a.precisions_dense, *a.precisions_sparse)}
    assert used == set(specs.precisions())
    for name in specs.precisions():
        base = specs.precision(name).variant_of
        assert base is None or specs.bytes_of(base) == specs.bytes_of(name)
    assert {name for name in used if specs.precision(name).is_integer} == {"int4", "int8"}


def test_announced_parts_name_the_source():
    announced = {a.name: a.announced for a in specs.accelerators() if a.announced}
    assert announced.keys() == {"Rubin", "MI455X", "TPU 8t", "TPU 8i"}
    assert all(source.citation and source.as_of for source in announced.values())
