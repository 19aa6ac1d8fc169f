"""The repository keeps its promises: one environment, a house in order, nothing from afar."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.split()


# Where an environment is made; the lab in the browser is another place.
MACHINES = [
    {"sys_platform": platform, "platform_system": system, "os_name": name}
    for platform, system, name in (
        ("linux", "Linux", "posix"),
        ("darwin", "Darwin", "posix"),
        ("win32", "Windows", "nt"),
    )
]


def bounds(lines, machine):
    """The packages that these requirements mean on a machine, with their bounds."""
    parsed = (Requirement(line) for line in lines)
    return {one.name: str(one.specifier) for one in parsed if one.marker is None or one.marker.evaluate(machine)}


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine["sys_platform"])
def test_environment_and_project_agree_on_packages(machine):
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip, *packages, wheels = environment["dependencies"]
    assert wheels == {"pip": PROJECT["optional-dependencies"]["measure"]}
    assert bounds(packages, machine) == bounds(PROJECT["dependencies"], machine)
    # One "=" is conda's way to say "of this series", and the only one that Binder reads.
    assert pip == "pip" and re.fullmatch(r"python=3\.\d+", python)
    assert SpecifierSet(PROJECT["requires-python"]).contains(python.partition("=")[2])
    assert environment["channels"][0] == "conda-forge"


def pinned():
    pins = {}
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines():
        name, mark, version = line.partition("==")
        assert mark, f"not a pin: {line}"
        pins[re.sub(r"[-_.]+", "-", name).lower()] = version
    return pins


def test_pins_install_on_the_oldest_supported_python():
    oldest = PROJECT["requires-python"].removeprefix(">=") + ".0"
    for name, version in pinned().items():
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another system, or of an extra that is not here
            continue
        if found.version == version:
            assert SpecifierSet(found.metadata.get("Requires-Python", "")).contains(oldest), f"{name} {version}"


def test_top_level_is_as_agreed():
    expected = {"course", "labs", "solutions", "autograder", "tests", "README.md", "environment.yml"}
    assert expected <= {name.split("/")[0] for name in TRACKED}


# --- who may import whom -----------------------------------------------------------
SHOWING = ("ipywidgets", "anywidget", "IPython")
OUTER = ("chapters", "draw", "exercise", "explore", "predict")
FORBIDDEN = {
    "model": ("matplotlib", *SHOWING, "autograder", *(f"chip2cluster.{name}" for name in OUTER)),
    "draw": (*SHOWING, "autograder", *(f"chip2cluster.{name}" for name in OUTER if name != "draw")),
    "engine": ("autograder", "chip2cluster.exercise"),
    # The shell draws curves with the package's pictures, imported only when one is asked for.
    "shell": ("matplotlib", *SHOWING, "autograder", *(f"chip2cluster.{name}" for name in OUTER if name != "draw")),
    "exercise": (
        "matplotlib",
        *SHOWING,
        "autograder",
        *(f"chip2cluster.{name}" for name in OUTER if name != "exercise"),
    ),
    "explorer": ("autograder", "chip2cluster.exercise"),
    "chapter": ("autograder",),
}


def role(file):
    """What a module of the package is: a model, a picture (draw), an engine, the shell, what an exercise is, or part of a chapter."""
    first, *rest = file.relative_to(ROOT / "course/chip2cluster").with_suffix("").parts
    if first == "chapters":
        return "explorer" if {"explorers", "predictions"} & {*rest} else "chapter" if rest[1:] else "engine"
    return {"draw": "draw", "exercise": "exercise", "explore": "engine", "predict": "engine", "shell": "shell"}.get(
        first, "model"
    )


def imported(file):
    package = ["chip2cluster", *file.relative_to(ROOT / "course/chip2cluster").parts[:-1]]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names)


@every_row("file", sorted((ROOT / "course/chip2cluster").rglob("*.py")))
def test_imports_run_down_only(file):
    for name in imported(file):
        for forbidden in FORBIDDEN[role(file)]:
            assert name != forbidden and not name.startswith(forbidden + "."), f"{file.name} imports {name}"


def test_package_import_stays_light():
    heavy = ["matplotlib", "pandas", "ipywidgets", "anywidget", "IPython", "networkx", "scipy"]
    code = (
        f"import sys; from chip2cluster import roofline, specs, units; print([m for m in {heavy} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- nothing from afar, nothing of one machine ----------------------------------------
def text_files():
    for name in TRACKED:
        file = ROOT / name
        if (
            file.suffix in {".py", ".js", ".css", ".ipynb", ".md", ".toml", ".yml", ".txt", ".json", ""}
            and file.is_file()
        ):
            yield file, file.read_text(encoding="utf-8", errors="replace")


def test_front_end_files_fetch_nothing():
    # Frames, pages, recorded exercises, the editor and Python, which lie in the site itself.
    own = (
        "fetch(strip)",
        "fetch(found)",
        "fetch(cases)",
        "fetch(course)",
        'import("./codemirror.js")',
        "import(engine)",
    )
    for file, text in text_files():
        if file.suffix in {".js", ".css"}:
            for address in own:
                text = text.replace(address, "")
            assert not re.search(r"https?://(?!www\.w3\.org/)", text), file
            assert not re.search(r"\b(fetch|XMLHttpRequest|import)\s*\(", text), file


def test_no_registry_host_and_no_machine_path():
    hosts = ["pypi" + ".org", "python" + "hosted", "npmjs" + ".org", "conda" + ".anaconda"]
    for file, text in text_files():
        if file == Path(__file__):
            continue
        for host in hosts:
            assert host not in text, f"{file} names {host}"
        assert not re.search(r"(?<![\w.])/(home|Users)/\w+/", text), file


def test_text_files_have_the_same_line_ends_everywhere():
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=True)
    wrong = [line for line in listed.stdout.splitlines() if line.startswith(("i/crlf", "i/mixed"))]
    assert wrong == []
    assert "* text=auto eol=lf" in (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()


# What students hand in and what marks they got.
THEIRS = [
    "autograder/work/submitted/ann/03_roofline/lab_03_roofline.ipynb",
    "autograder/work/collected/03_roofline.csv",
    "autograder/work/dates/03_roofline.csv",
    "downloaded/03_roofline/archive/submissions.zip",
    "submissions/doejane_102_9002_lab_03_roofline.ipynb",
    "submissions.zip",
    "03_roofline-canvas.csv",
    "03_roofline-feedback-moodle.zip",
    "students.csv",
    "report.html",
    "report.json",
    "exchange/chip2cluster/inbound/ann+03_roofline/lab_03_roofline.ipynb",
]


def test_git_passes_over_what_is_students():
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", *THEIRS], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == THEIRS
    # And over nothing that is the course's.
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert tracked.stdout == ""


def test_names_of_tests_are_short():
    files = [name for name in TRACKED if name.startswith("tests/") and name.endswith(".py") and "/data/" not in name]
    names = [
        name for file in files for name in re.findall(r"def (test_\w+)", (ROOT / file).read_text(encoding="utf-8"))
    ]
    assert len(names) > 2000
    assert [name for name in names if len(name) > 60] == []
