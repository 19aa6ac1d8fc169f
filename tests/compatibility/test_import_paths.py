"""Modules and names that files of others import: configurations, own labs, released labs, pages, installed scripts."""

from importlib import import_module

import pytest

from tests.compatibility.places import DATA, ROOT, read
from tests.tables import every_row

PATHS = read(DATA / "import_paths.json")
PAGES = read(DATA / "page_names.json")


def _found(module, name):
    """Whether ``from module import name`` works."""
    owner = import_module(module)
    if not name or hasattr(owner, name):
        return True
    import_module(f"{module}.{name}")
    return True


@every_row("path", [*PATHS])
def test_name_in_a_file_of_others_is_importable(path):
    module, _, name = path.partition(":")
    assert _found(module, name)


@pytest.mark.parametrize("module", [*PAGES])
def test_name_that_a_page_uses_is_importable(module):
    """Copies of pages in ``my_course`` and ``my_labs`` keep the names of the version that they were made from."""
    missing = []
    for name, pages in PAGES[module].items():
        try:
            _found(module, name)
        except ImportError:
            missing.append(f"{name}: {', '.join(pages)}")
    assert missing == []


def test_server_extension_of_an_old_installation_is_loaded():
    """``etc/jupyter`` keeps the module's name until the package is installed anew."""
    (point,) = import_module("chip2cluster.serverextension")._jupyter_server_extension_points()
    assert point["module"] == "chip2cluster.serverextension"
    assert "chip2cluster.serverextension" in (ROOT / "course/chip2cluster/serverextension.json").read_text("utf-8")
