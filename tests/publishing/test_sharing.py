"""One version, one public address, and what people need to cite, to report and to talk to each other."""

import datetime
import doctest
import re
import shlex
import tomllib
from pathlib import Path

import yaml

import chip2cluster
from chip2cluster import shell
from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[2]
VERSION = chip2cluster.__version__
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
URLS = PROJECT["project"]["urls"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


# --- one version, one address ------------------------------------------------------------
def test_the_version_is_written_in_the_package_and_followed_elsewhere():
    assert PROJECT["project"]["dynamic"] == ["version"] and "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "course/chip2cluster/__init__.py"
    assert f'__version__ = "{VERSION}"' in read("course/chip2cluster/__init__.py")
    assert CITATION["version"] == VERSION
    assert re.search(r"^## (\S+) \(", CHANGELOG, re.M)[1] == VERSION


def test_every_public_address_follows_from_the_project():
    repository = URLS["Repository"]
    owner, name = repository.removeprefix("https://github.com/").split("/")
    assert URLS["Documentation"] == f"https://{owner}.github.io/{name}/"
    assert URLS["Changelog"].startswith(f"{repository}/blob/")
    assert (CITATION["repository-code"], CITATION["url"]) == (repository, URLS["Documentation"])
    (private,) = yaml.safe_load(read(".github/ISSUE_TEMPLATE/config.yml"))["contact_links"]
    assert private["url"] == f"{repository}/security/advisories/new"
    # A tag, not a branch: Binder builds a tag once and then starts at once.
    assert f"https://mybinder.org/v2/gh/{owner}/{name}/v{VERSION}?urlpath=lab/tree/my_course/00_start.ipynb" in README
    assert URLS["Documentation"] in README


# --- citation ------------------------------------------------------------------------------
def test_the_citation_names_the_licences_of_the_project():
    """But for that of a data file, which no register of licences knows: its notice lies beside it."""
    named = PROJECT["project"]["license"].split(" AND ")
    assert CITATION["license"] == [name for name in named if not name.startswith("LicenseRef-")]


def test_the_date_of_release_is_that_of_the_changelog():
    day = datetime.date.fromisoformat(CITATION["date-released"])
    assert re.search(r"^## \S+ \((.+)\)$", CHANGELOG, re.M)[1] == day.isoformat()


# --- texts -----------------------------------------------------------------------------------
def test_the_code_in_the_readme_says_what_it_prints():
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
    assert blocks
    runner = doctest.DocTestRunner()
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
        assert test.examples and runner.run(test).failed == 0


def test_each_line_for_a_shell_is_answered_as_it_says(capsys):
    asked = re.findall(r"^chip2cluster (.+?)(?: +# exit (\d): (.+))?$", README, re.M)
    assert len(asked) >= 10
    for line, code, words in asked:
        assert shell.main(shlex.split(line)) == int(code or 0), line
        out = capsys.readouterr().out
        assert out, line
        for number in re.findall(r"[0-9.]+ %", words):
            assert number in out, line


@every_row(
    "name",
    [
        *("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"),
        *("autograder/INSTRUCTORS.md", "autograder/OWN_LABS.md"),
        *("deploy/hub/README.md", "deploy/hub/TLJH.md"),
    ],
)
def test_links_lead_to_files_and_commands_to_targets(name):
    text, makefile = read(name), read("Makefile")
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        assert link.startswith("https://") or (ROOT / name).parent.joinpath(link).exists(), link
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split()
    for line in [*re.findall(r"`make ([a-z ]+)`", text), *re.findall(r"^make ([a-z ]+?)(?: *#.*)?$", text, re.M)]:
        assert set(line.split()) <= set(targets), line
    # Nothing is shown from afar: a picture lies here, and a badge is a word.
    assert not re.search(r"!\[[^\]]*\]\(https?:|<img[^>]+https?:", text)


def test_the_rules_of_conduct_name_a_way_that_exists():
    text = read("CODE_OF_CONDUCT.md")
    assert "Report a vulnerability" in text and not re.search(r"\S+@\S+\.\w+", text)
