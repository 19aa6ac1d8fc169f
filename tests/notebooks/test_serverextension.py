"""The server extension: enabled by the installation, and at work on every connection of a kernel."""

import json
import tomllib
from pathlib import Path
from types import SimpleNamespace

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


def test_an_installation_enables_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    source = "course/chip2cluster/serverextension.json"
    target = project["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"][source]
    assert target.startswith("etc/jupyter/jupyter_server_config.d/")
    enabled = json.loads((ROOT / source).read_text(encoding="utf-8"))["ServerApp"]["jpserver_extensions"]
    (point,) = serverextension._jupyter_server_extension_points()
    assert enabled == {point["module"]: True}
