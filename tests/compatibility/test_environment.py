"""The variables CHIP2CLUSTER_* that version d7a7ae7a reads: each is still read, and does the same."""

import os
from types import SimpleNamespace

import pytest
from traitlets.config.loader import PyFileConfigLoader

from tests.compatibility.places import DATA, ROOT, read
from tests.tables import every_row

VARIABLES = read(DATA / "environment.json")


def _code():
    """The text of all code that a user runs."""
    folders = (ROOT / name for name in ("autograder", "course", "deploy"))
    files = [file for folder in folders for file in folder.rglob("*.py")]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def test_variable_is_named_in_the_code():
    text = _code()
    assert [name for name in VARIABLES if name not in text] == []


def test_home_and_secret_hold_the_record_and_the_key(tmp_path, monkeypatch):
    from autograder import progress
    from autograder.secret import values_key

    assert values_key() == read(DATA / "student/class.json")["values_key"]
    monkeypatch.setenv("CHIP2CLUSTER_SECRET", "another")
    assert values_key() != read(DATA / "student/class.json")["values_key"]
    monkeypatch.setenv("CHIP2CLUSTER_HOME", str(tmp_path / "home"))
    assert progress("all").place.startswith(str(tmp_path / "home"))


@every_row("name, values", [*read(DATA / "student/given.json").items()])
def test_student_and_key_give_the_same_numbers(name, values, tmp_path, monkeypatch):
    from autograder import given

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "ann")
    monkeypatch.setenv("CHIP2CLUSTER_VALUES_KEY", read(DATA / "student/class.json")["values_key"])
    assert given(name) == values
    monkeypatch.setenv("CHIP2CLUSTER_STUDENT", "bob")
    assert given(name) != values


def test_still_shows_an_explorer_without_a_widget(monkeypatch):
    from chip2cluster import explore

    view = explore.roofline()
    monkeypatch.setenv("CHIP2CLUSTER_STILL", "1")
    with pytest.raises(NotImplementedError):
        view._ipython_display_()
    assert "text/html" in view._repr_mimebundle_()


def test_hub_variables_set_exchange_and_student(monkeypatch):
    monkeypatch.setenv("CHIP2CLUSTER_EXCHANGE", "/exchange")
    monkeypatch.setenv("CHIP2CLUSTER_ONE_ACCOUNT", "ann")
    file = ROOT / "deploy/hub/everybody/nbgrader_config.py"
    config = PyFileConfigLoader(file.name, path=str(file.parent)).load_config()
    assert config.Exchange.root == "/exchange" and config.CourseDirectory.student_id == "ann"


def test_hub_variables_set_instructor_and_pages(tmp_path, monkeypatch):
    (tmp_path / "class.json").write_text('{"values_key": "k", "students": []}', encoding="utf-8")
    monkeypatch.setenv("CHIP2CLUSTER_EXCHANGE", str(tmp_path / "exchange"))
    monkeypatch.setenv("CHIP2CLUSTER_INSTRUCTOR", "root")
    monkeypatch.setenv("CHIP2CLUSTER_PAGES", str(tmp_path))
    monkeypatch.setenv("CHIP2CLUSTER_TLJH", "1")
    monkeypatch.setattr(os, "geteuid", lambda: 1)  # no account and no folder of this machine is changed
    monkeypatch.chdir(tmp_path)
    file = ROOT / "deploy/hub/jupyterhub_config.py"
    config = PyFileConfigLoader(file.name, path=str(file.parent)).load_config()
    assert (tmp_path / "exchange/chip2cluster/inbound").is_dir()
    assert "authenticator_class" not in config.JupyterHub  # The Littlest JupyterHub has its own

    def spawned(name):
        spawner = SimpleNamespace(environment={}, user=SimpleNamespace(name=name))
        config.Spawner.pre_spawn_hook(spawner)
        return spawner.environment

    assert spawned("ann")["CHIP2CLUSTER_VALUES_KEY"] == "k"
    assert spawned("ann")["CHIP2CLUSTER_ONE_ACCOUNT"] == "ann"
    assert "CHIP2CLUSTER_ONE_ACCOUNT" not in spawned("root")
