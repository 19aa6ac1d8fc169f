"""The pinned versions, for the oldest Python and for the newest."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Only Python 3.11 needs it.
OLDEST_ONLY = {"overrides"}


def pins(name):
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.!+]+", line)] == []
    names = [canonicalize_name(line.partition("==")[0]) for line in lines]
    assert len(names) == len(set(names)), "a package is pinned twice"
    return dict(zip(names, (line.partition("==")[2] for line in lines), strict=True))


@pytest.mark.parametrize("name", ["constraints.txt", "constraints-3.14.txt"])
def test_constraints_pin_every_package_within_its_bounds(name):
    pinned = pins(name)
    extras = PROJECT["optional-dependencies"].values()
    for line in [*PROJECT["dependencies"], *(line for lines in extras for line in lines)]:
        requirement = Requirement(line)
        if requirement.name != PROJECT["name"]:
            assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), line


def test_constraints_pin_the_same_packages_and_the_installer():
    oldest, newest = pins("constraints.txt"), pins("constraints-3.14.txt")
    assert set(oldest) - OLDEST_ONLY == set(newest)
    assert "uv" in oldest
