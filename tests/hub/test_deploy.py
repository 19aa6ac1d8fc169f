"""What stands around the hub, as far as it can be looked at without building or installing it."""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from traitlets.config.loader import PyFileConfigLoader

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy" / "hub"
CONFIGURATION = DEPLOY / "jupyterhub_config.py"
FILE = re.sub(r"\\\n", "", (DEPLOY / "Containerfile").read_text())
GUIDES = {name: (DEPLOY / name).read_text(encoding="utf-8") for name in ("README.md", "TLJH.md")}


def steps(word):
    return [line.partition(" ")[2].strip() for line in FILE.splitlines() if line.startswith(f"{word} ")]


def shells():
    """Every line for a shell: of the container file and of both pages."""
    yield from steps("RUN")
    for text in GUIDES.values():
        yield from re.findall(r"^ *```sh\n(.*?)^ *```", text, re.M | re.S)


@pytest.mark.parametrize("lines", list(shells()), ids=lambda lines: lines.split()[0])
def test_what_is_to_be_typed_is_a_command(lines):
    checked = subprocess.run(["sh", "-n", "-c", lines], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_the_image_holds_nothing_that_only_instructors_may_have():
    copied = [shlex.split(step)[:-1] for step in steps("COPY")]
    sources = [one for parts in copied for one in parts if not one.startswith(("--from", "/"))]
    assert not steps("ADD") and all(source.startswith(("deploy/hub/", "build/hub/pages")) for source in sources)
    assert all((ROOT / source).exists() for source in sources if source.startswith("deploy/"))
    # Nor does a hub install the repository.
    assert not [line for line in shells() if re.search(r"pip install.* (-e|--editable|\.( |$|\[))", line)]


def test_what_the_pages_say_of_the_environment_is_read():
    read = set(re.findall(r"CHIP2CLUSTER_\w+", CONFIGURATION.read_text()))
    told = set(re.findall(r"CHIP2CLUSTER_\w+", " ".join(GUIDES.values()))) - {"CHIP2CLUSTER_SECRET"}
    assert told and told <= read
    assert "CHIP2CLUSTER_SECRET" not in read, "the secret is not the hub's"


def test_the_proxy_has_one_version():
    (needed,) = json.loads((DEPLOY / "package.json").read_text())["dependencies"].items()
    assert needed[0] == "configurable-http-proxy" and re.fullmatch(r"[\d.]+", needed[1])
    assert f"configurable-http-proxy {needed[1].rpartition('.')[0]} " in GUIDES["README.md"]


def loaded(monkeypatch, tmp_path, **environment):
    for name, value in ({"CHIP2CLUSTER_EXCHANGE": str(tmp_path / "exchange")} | environment).items():
        monkeypatch.setenv(name, value)
    return PyFileConfigLoader(CONFIGURATION.name, str(DEPLOY)).load_config()


def test_the_littlest_hub_keeps_its_own_way_to_let_people_in(monkeypatch, tmp_path):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr("pwd.getpwnam", lambda name: pytest.fail(name) if name != "jupyter-us" else me(tmp_path))
    found = loaded(monkeypatch, tmp_path, CHIP2CLUSTER_TLJH="yes", CHIP2CLUSTER_INSTRUCTOR="us")
    assert not found.JupyterHub and callable(found.Spawner.pre_spawn_hook)
    assert (tmp_path / "exchange/chip2cluster/inbound").stat().st_mode & 0o1777 == 0o1733
    assert tmp_path.stat().st_mode & 0o777 == 0o700


def me(home):
    import pwd

    return pwd.struct_passwd(("us", "x", os.getuid(), os.getgid(), "", str(home), "/bin/sh"))


def test_without_the_instructors_account_a_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    with pytest.raises(SystemExit, match="no account for 'nobody-of-ours': make one"):
        loaded(monkeypatch, tmp_path, CHIP2CLUSTER_INSTRUCTOR="nobody-of-ours")
    assert not (tmp_path / "exchange").exists()
