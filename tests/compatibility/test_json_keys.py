"""What programs read from ``chip2cluster COMMAND … --json`` of version d7a7ae7a is still there."""

import json
import shlex

import pytest

from chip2cluster.shell import main
from tests.compatibility.places import DATA, read

OLD = read(DATA / "json_keys.json")
# The layout that the search of that version chose: rows of a layout are those of its own messages.
LAYOUT = {"plan": ["--layout", "tensor=8 data=32 context=4 zero_stage=1"]}


@pytest.mark.parametrize("command", [*OLD])
def test_json_has_every_key(command, capsys):
    old = OLD[command]
    assert main([*shlex.split(old["example"]), *LAYOUT.get(command, []), "--json"]) == old["exit_code"]
    answer = json.loads(capsys.readouterr().out)
    assert {*old["keys"]} <= {*answer}
    assert {*old["number_keys"]} <= {*answer["numbers"][0]}
    assert {*old["assumption_keys"]} <= {*answer["assumptions"][0]}
    assert {*old["numbers"]} <= {one["name"] for one in answer["numbers"]}
    assert {*old["assumptions"]} <= {one["name"] for one in answer["assumptions"]}
