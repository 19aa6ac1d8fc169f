"""The server extensions: enabled by the installation, at work on every connection of a kernel, and quick to load."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograder import serverextension as marking
from chip2cluster import serverextension

ROOT = Path(__file__).resolve().parents[2]


class Connection:
    def __init__(self, websocket_handler):
        self.websocket_handler = websocket_handler

    def connect(self):
        return "connected"


def test_small_packets_are_not_held_back():
    settings = {"kernel_websocket_connection_class": Connection}
    serverextension._load_jupyter_server_extension(SimpleNamespace(web_app=SimpleNamespace(settings=settings)))
    given = []
    handler = SimpleNamespace(set_nodelay=given.append)
    connection = settings["kernel_websocket_connection_class"](handler)
    assert connection.connect() == "connected" and given == [True]
    assert isinstance(connection, Connection), "what the server was set up with is kept"


@pytest.mark.parametrize(
    "source, extension",
    [("course/chip2cluster/serverextension.json", serverextension), ("autograder/serverextension.json", marking)],
)
def test_an_installation_enables_it(source, extension):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    target = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"][source]
    assert target.startswith("etc/jupyter/jupyter_server_config.d/")
    enabled = json.loads((ROOT / source).read_text(encoding="utf-8"))["ServerApp"]["jpserver_extensions"]
    (point,) = extension._jupyter_server_extension_points()
    assert enabled == {point["module"]: True}


def test_server_loads_the_marking_pages_when_asked_for():
    """A student's server loads the extension too, and must neither wait for the grader nor need it."""
    code = """if True:
        import sys
        from types import SimpleNamespace
        from autograder import serverextension
        added = []
        application = SimpleNamespace(settings={"base_url": "/"}, add_handlers=lambda host, routes: added.append(routes))
        serverextension._load_jupyter_server_extension(SimpleNamespace(web_app=application))
        serverextension.find_spec = lambda name: None if name == "nbgrader" else True
        serverextension._load_jupyter_server_extension(SimpleNamespace(web_app=application))
        print(len(added), [name for name in sys.modules if name.startswith(("autograder.grading", "nbgrader", "mistune"))])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 []"
