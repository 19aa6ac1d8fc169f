"""What programs read from ``chip2cluster COMMAND … --json`` of version d7a7ae7a is still there."""

import json
import shlex

import pytest

from chip2cluster.shell import main
from tests.compatibility.places import DATA, read

OLD = read(DATA / "json_keys.json")
# Rows of a plan are those of its layout, and the search chooses another one now: a layout with context parallelism has
# the other rows.
OTHER = {"plan": ["--layout", "tensor=8 data=32 context=4 zero_stage=1"]}


@pytest.mark.parametrize("command", [*OLD])
def test_json_has_every_key(command, capsys):
    old = OLD[command]
    assert main([*shlex.split(old["example"]), "--json"]) == old["exit_code"]
    answer = json.loads(capsys.readouterr().out)
    assert {*old["keys"]} <= {*answer}
    assert {*old["number_keys"]} <= {*answer["numbers"][0]}
    assert {*old["assumption_keys"]} <= {*answer["assumptions"][0]}
    numbers = {one["name"] for one in answer["numbers"]}
    if command in OTHER:
        main([*shlex.split(old["example"]), *OTHER[command], "--json"])
        numbers |= {one["name"] for one in json.loads(capsys.readouterr().out)["numbers"]}
    assert {*old["numbers"]} <= numbers
    assert {*old["assumptions"]} <= {one["name"] for one in answer["assumptions"]}
