"""Version of the catalogue: no figure changes without a new one."""

import hashlib
import json
import re
from importlib.resources import files

from chip2cluster import specs

DATA = json.loads((files("chip2cluster") / "data" / "accelerators.json").read_text(encoding="utf-8"))


ABOUT_SOURCES = {"unchecked", "announced"}  # fields of a record that are not figures


def figures(entry):
    """Figures of a record, without their sources."""
    if not isinstance(entry, dict):
        return entry
    if "value" in entry:
        return entry["value"]
    return {key: figures(value) for key, value in entry.items() if key not in ABOUT_SOURCES}


def digest(records):
    text = json.dumps([figures(record) for record in records], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def test_changed_figure_has_a_new_version():
    version, known = list(DATA["versions"].items())[-1]
    now = digest(DATA["accelerators"])
    assert now == known, f'figures have changed since {version}: add a version to "versions", with "{now}" behind it'


def test_last_version_is_in_use():
    versions = list(DATA["versions"])
    assert all(re.fullmatch(r"20\d\d\.(0[1-9]|1[0-2])(\.[2-9])?", version) for version in versions)
    assert versions == sorted(versions) and specs.data_version() == versions[-1]
    assert len(set(DATA["versions"].values())) == len(versions)


def test_digest_covers_figures_and_not_sources():
    first = DATA["accelerators"][0]
    entry = first["memory_bandwidth"]
    assert digest([first | {"memory_bandwidth": entry | {"value": entry["value"] + 1}}]) != digest([first])
    assert digest([first | {"memory_bandwidth": entry | {"confidence": "low"}}]) == digest([first])
    assert digest([first | {"unchecked": {"peak": "one sheet"}, "announced": {"source": "sheet"}}]) == digest([first])
