"""A kernel in a browser may have no NumPy: what must work all the same, and say the same."""

import json
import os
import subprocess
import sys

import pytest

from chip2cluster import draw, explore

HEAVY = ("numpy", "pandas", "matplotlib", "networkx", "scipy", "jupyterlab")
FORBID = f"""
import sys
class Forbidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HEAVY}:
            raise ModuleNotFoundError(f"forbidden: {{name}}")
sys.meta_path.insert(0, Forbidden())
"""
# Every value of every control once, from the start state.
MOVE = """
import json
from chip2cluster import explore
view, told = explore.machine(), []
for control in view.controls:
    view.reset()
    for index in range(len(control.choices(view.values))):
        view._answer({"values": {control.name: index}})
        told.append([view.values, view.table, view.sentence, view.alt, view.current.picture.svg])
view.reset()
view.set(system="TPU v5p host", message=1, axis="time")
told.append([view.values, view.table, view.sentence, view.alt])
print(json.dumps(told))
"""


def run(code, **environment):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_machine_explorer_agrees_without_numpy():
    bare, usual = run(FORBID + MOVE), run("import numpy, pandas, matplotlib\n" + MOVE)
    assert bare == usual
    assert len(json.loads(bare)) > 40


def test_explorer_and_prediction_work_without_numpy(tmp_path):
    code = """
sys.platform = "emscripten"
from chip2cluster import explore, predict
view = explore.machine()
data = view._repr_mimebundle_()
assert view.widget.frame["picture"] and "image/png" not in data and "<img" in data["text/html"]
form = predict.ask("machine.one_byte")
form._answer({"values": {"guess": "40"}, "action": "commit"})
assert form.guess == 40 and form.sentence.startswith("It is ")
from chip2cluster import journal
print(sorted(journal.read()["predictions"]))
"""
    assert run(FORBID + code, CHIP2CLUSTER_HOME=str(tmp_path)) == "['machine.one_byte']\n"


@pytest.mark.parametrize("name", ["hierarchy", "links", "predict", "specs", "units", "draw", "explore"])
def test_import_alone_touches_nothing_heavy(name):
    code = f"import sys, chip2cluster\nfrom chip2cluster import {name}\nprint(sorted({set(HEAVY)} & set(sys.modules)))"
    assert run(code) == "[]\n"
    run(FORBID + f"import chip2cluster\nfrom chip2cluster import {name}\nassert chip2cluster.__version__")


@pytest.mark.parametrize("package", [draw, explore], ids=lambda package: package.__name__)
def test_package_resolves_its_names_and_lists_them_in_errors(package):
    assert all(hasattr(package, name) and name in dir(package) for name in package.__all__)
    with pytest.raises(AttributeError, match=f"'nothing'; it has .*{package.__all__[-1]}"):
        package.nothing  # noqa: B018


def test_numpy_scalars_and_arrays_are_refused_and_taken_as_ever():
    np = pytest.importorskip("numpy")
    from chip2cluster import hierarchy, links

    with pytest.raises(TypeError, match="truth value"):
        links.transfer_time(np.True_, 1e9)
    with pytest.raises(TypeError, match="generation must be one of"):
        links.pcie(np.True_, 16)
    found = hierarchy.tier_for("DGX H100", [16e9, 140e9])
    assert [tier.name for tier in found] == [hierarchy.tier_for("DGX H100", size).name for size in (16e9, 140e9)]
    with pytest.raises(ValueError, match="lanes of PCIe"):
        links.pcie(5, [16, 17])
    with pytest.raises(ValueError, match="below 1"):
        links.message_size_for([0.5, 1.0], 1e-6, 1e9)
