"""One version, one public address, and what people need to cite, to report and to talk to each other."""

import datetime
import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

import chip2cluster
from chip2cluster import reality, shell
from course.publish.book.build import DEFAULT_REF
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
def test_version_of_the_package_is_followed_elsewhere():
    assert PROJECT["project"]["dynamic"] == ["version"] and "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "course/chip2cluster/__init__.py"
    assert f'__version__ = "{VERSION}"' in read("course/chip2cluster/__init__.py")
    assert CITATION["version"] == VERSION
    assert re.search(r"^## (\S+) \(", CHANGELOG, re.M)[1] == VERSION


def test_public_addresses_follow_from_the_project():
    repository = URLS["Repository"]
    owner, name = repository.removeprefix("https://github.com/").split("/")
    assert URLS["Documentation"] == f"https://{owner}.github.io/{name}/"
    assert URLS["Changelog"].startswith(f"{repository}/blob/")
    assert (CITATION["repository-code"], CITATION["url"]) == (repository, URLS["Documentation"])
    (private,) = yaml.safe_load(read(".github/ISSUE_TEMPLATE/config.yml"))["contact_links"]
    assert private["url"] == f"{repository}/security/advisories/new"
    assert f"https://mybinder.org/v2/gh/{owner}/{name}/main?urlpath=lab/tree/my_course/00_start.ipynb" in README
    assert URLS["Documentation"] in README


def test_public_links_name_the_branch_that_exists():
    """A link to a tag leads nowhere until that version is released."""
    named = [
        (name, ref)
        for name in (
            "README.md",
            "docs/students.md",
            "CONTRIBUTING.md",
            "CHANGELOG.md",
            "CITATION.cff",
            "pyproject.toml",
        )
        for ref in re.findall(
            r"https://(?:mybinder\.org/v2/gh|github\.com)/[\w-]+/[\w-]+/(?:blob/|tree/)?([^/?\s)\"]+)", read(name)
        )
    ]
    assert len(named) >= 2
    assert [(name, ref) for name, ref in named if ref != "main"] == []
    assert DEFAULT_REF == "main"


# --- citation ------------------------------------------------------------------------------
def test_citation_names_the_licenses_of_the_project():
    """The license of a data file is left out, because no register of licenses has it."""
    named = PROJECT["project"]["license"].split(" AND ")
    assert CITATION["license"] == [name for name in named if not name.startswith("LicenseRef-")]


def test_citation_has_the_date_of_the_changelog():
    day = datetime.date.fromisoformat(CITATION["date-released"])
    assert re.search(r"^## \S+ \((.+)\)$", CHANGELOG, re.M)[1] == day.isoformat()


# --- texts -----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["README.md", "docs/engineers.md"])
def test_python_in_documents_prints_what_they_say(name):
    blocks = re.findall(r"^```python\n(.*?)^```", read(name), re.M | re.S)
    assert blocks
    runner = doctest.DocTestRunner()
    for block in blocks:
        test = doctest.DocTestParser().get_doctest(block, {}, name, name, 0)
        assert test.examples and runner.run(test).failed == 0


def test_shell_lines_for_engineers_exit_as_they_say(capsys):
    asked = re.findall(r"^chip2cluster (.+?)(?: +# exit (\d): (.+))?$", read("docs/engineers.md"), re.M)
    assert len(asked) >= 10
    for line, code, words in asked:
        assert shell.main(shlex.split(line)) == int(code or 0), line
        out = capsys.readouterr().out
        assert out, line
        for number in re.findall(r"[0-9.]+ %", words):
            assert number in out, line


def test_readme_states_the_score_of_the_predictions():
    summary = reality.summary()
    met = summary[summary.columns[-1]].eq("yes").sum()
    said = re.search(r"against ([\d,]+) published measurements: (\d+) of (\d+) kinds", README)
    assert [int(number.replace(",", "")) for number in said.groups()] == [summary["forecasts"].sum(), met, len(summary)]


def test_documents_are_short():
    """The README is one screen and a half, a guide two screens. A generated table doesn't count."""
    assert len(README.splitlines()) <= 60
    guides = {
        guide.name: re.sub(r"<!-- table -->.*?<!-- end of table -->", "", guide.read_text(encoding="utf-8"), flags=re.S)
        for guide in (ROOT / "docs").rglob("*.md")
    }
    assert len(guides) >= 20
    assert [name for name, text in guides.items() if len(text.splitlines()) > 80 or len(text.split()) > 900] == []


@every_row(
    "name",
    [
        *("README.md", "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md"),
        *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
        *("deploy/hub/README.md", "deploy/hub/TLJH.md"),
    ],
)
def test_documents_name_existing_files_and_make_targets(name):
    text, makefile = read(name), read("Makefile")
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        assert link.startswith("https://") or (ROOT / name).parent.joinpath(link).exists(), link
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split()
    for line in [*re.findall(r"`make ([a-z ]+)`", text), *re.findall(r"^make ([a-z ]+?)(?: *#.*)?$", text, re.M)]:
        assert set(line.split()) <= set(targets), line
    # Pictures are part of the repository, and badges are words.
    assert not re.search(r"!\[[^\]]*\]\(https?:|<img[^>]+https?:", text)


def test_rules_of_conduct_name_the_private_report():
    text = read("CODE_OF_CONDUCT.md")
    assert "Report a vulnerability" in text and not re.search(r"\S+@\S+\.\w+", text)
