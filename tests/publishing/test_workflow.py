"""The host's workflow: it runs make targets, with no more rights than it needs. Then the Makefile itself."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from chip2cluster import __version__

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEXT = "\n".join(file.read_text(encoding="utf-8") for file in FILES)
# YAML 1.1 reads a bare "on" as true.
(WORKFLOW,) = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES)
JOBS = WORKFLOW["jobs"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = set(re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split())


def runs(job):
    return [step["run"] for step in JOBS[job]["steps"] if "run" in step]


def made(job):
    """The make targets of a job, in their order."""
    return [target for line in runs(job) if line.startswith("make ") for target in line.split()[1:]]


def index(job, command):
    """The places of a command among the steps of a job that run something."""
    return [place for place, line in enumerate(runs(job)) if line.startswith(command)]


def make(*arguments, **environment):
    # Under `make test` an inner make prints more than by hand, and the outer one may have been given variables.
    told = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHON", "RELEASES", "VERSION")
    ours = {name: value for name, value in os.environ.items() if name not in told}
    return subprocess.run(
        [shutil.which("make"), *arguments], cwd=ROOT, env=ours | environment, capture_output=True, text=True, timeout=60
    )


def test_workflow_steps_are_make_targets_or_prepare_them():
    serving = ("sudo apt-get ", "sudo sysctl ", "gh release create ", "echo ")
    # Windows has no make, so the lines of the students' guide run there.
    typed = ("python -m pip install ", "autograder ", "jupyter ")
    for job in JOBS:
        assert set(made(job)) <= TARGETS
        assert all(line.startswith(("make ", *serving, *(typed if job == "smoke" else ()))) for line in runs(job)), job
    for line in re.findall(r"make ([a-z ]+)`", TEXT):
        assert set(line.split()) <= TARGETS, line


def test_smoke_job_installs_as_the_readme_says():
    (line,) = re.findall(
        r"^\.venv\\Scripts\\python (-m pip install .*)$", (ROOT / "docs/students.md").read_text(encoding="utf-8"), re.M
    )
    assert f"python {line.replace(' -c ', ' --constraint ')}" in runs("smoke")


def test_changes_are_tested_before_and_after_system_packages():
    before, after = index("test", "make test")
    (packages,) = index("test", "sudo apt-get")
    assert before < packages < after
    assert "if" not in JOBS["test"]


NIGHTLY = ("nightly", "prove")


@pytest.mark.parametrize("job", NIGHTLY)
def test_nightly_jobs_run_at_night_or_when_asked(job):
    events = WORKFLOW[True]
    assert set(re.findall(r"github\.event_name == '(\w+)'", JOBS[job]["if"])) == {"schedule", "workflow_dispatch"}
    assert {"schedule", "workflow_dispatch"} <= set(events)
    assert not any(job in other.get("needs", []) for other in JOBS.values()), "no publication waits for the night"


@pytest.mark.parametrize("job, target", [("nightly", "test"), ("prove", "prove")])
def test_nightly_jobs_print_the_line_that_repeats_them(job, target, tmp_path):
    (printing,) = (line for line in runs(job) if line.startswith("echo ") and "$GITHUB_STEP_SUMMARY" in line)
    assert made(job) == [target] and runs(job).index(printing) < runs(job).index(f"make {target}")
    settings = {"RELEASES": "lowest", "SAMPLE": "2026-11-23", "PART": "3/6"}
    told = {**os.environ, **settings, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    said = subprocess.run(["bash", "-c", printing], env=told, capture_output=True, text=True, check=True).stdout
    assert said == (tmp_path / "summary").read_text(encoding="utf-8")
    *variables, make_, name = said.split()
    assert (make_, name) == ("make", target)
    # The line repeats what the job was told: its own variables, and the sample that an earlier step chose.
    chosen = {name for line in runs(job) for name in re.findall(r'^echo "(\w+)=.*GITHUB_ENV', line)}
    assert dict(one.split("=") for one in variables) == {name: settings[name] for name in {*JOBS[job]["env"], *chosen}}


def test_nightly_sample_is_a_date(tmp_path):
    (choosing,) = (line for line in runs("nightly") if "GITHUB_ENV" in line)
    told = {**os.environ, "GITHUB_ENV": str(tmp_path / "env")}
    subprocess.run(["bash", "-c", choosing], env=told, check=True)
    assert re.fullmatch(r"SAMPLE=\d{4}-\d\d-\d\d\n", (tmp_path / "env").read_text(encoding="utf-8"))


def test_nightly_proof_has_every_part():
    parts = JOBS["prove"]["strategy"]["matrix"]["part"]
    assert parts == [f"{number}/{len(parts)}" for number in range(1, len(parts) + 1)]


def test_nightly_tests_take_lowest_and_newest_releases():
    pythons = JOBS["test"]["strategy"]["matrix"]["python"]
    rows = [(one["releases"], one["python"]) for one in JOBS["nightly"]["strategy"]["matrix"]["include"]]
    assert set(rows) == {*(("pinned", python) for python in pythons), ("lowest", pythons[0]), ("newest", pythons[-1])}


def test_nothing_is_published_that_was_not_tested():
    for name, job in JOBS.items():
        writes = [right for right, level in job.get("permissions", {}).items() if level == "write"]
        if writes:
            assert {"lint", "test"} <= set(job["needs"]), name
            assert "github.ref" in job["if"] and "pull_request" not in job["if"], name


def test_workflow_rights_are_the_least_that_work():
    assert set(WORKFLOW["permissions"].values()) == {"read"}
    assert "secrets." not in TEXT and "pull_request_target" not in TEXT
    # A name from a stranger, such as a branch or a title, must not become part of a command.
    assert not any("${{" in line for job in JOBS for line in runs(job))


def test_actions_are_the_hosts_own_and_have_major_versions():
    used = [step["uses"] for job in JOBS.values() for step in job["steps"] if "uses" in step]
    assert used and all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in used)


def test_published_files_are_where_make_puts_them():
    (site,) = (step["with"]["path"] for step in JOBS["site"]["steps"] if "upload-pages" in step.get("uses", ""))
    (release,) = (line for line in runs("release") if line.startswith("gh release"))
    assert f"--directory {site}" in MAKEFILE
    assert {"build/dist/*.whl", "build/dist/*.zip"} <= set(release.split())
    assert '"$TAG"' in release and "--verify-tag" in release


def test_oldest_python_is_tested_and_is_the_environments():
    oldest, *_ = JOBS["test"]["strategy"]["matrix"]["python"]
    assert f"- python={oldest}" in (ROOT / "environment.yml").read_text(encoding="utf-8")
    assert f'requires-python = ">={oldest}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_pages_of_a_copy_lead_to_that_copy(ready):
    assert set(JOBS["site"]["env"]) == {"REPOSITORY", "REF"}
    told = make("--dry-run", "book", ready, REPOSITORY="somebody/a-copy", REF="0123abc").stdout
    assert "-m course.publish book --repository somebody/a-copy --ref 0123abc" in told
    assert make("--dry-run", "book", ready).stdout.strip().endswith("-m course.publish book")


def test_bot_proposes_updates_of_every_kind_of_package():
    bot = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text(encoding="utf-8"))
    kinds = {one["package-ecosystem"]: one for one in bot["updates"]}
    files = {"pip": "pyproject.toml", "github-actions": ".github/workflows/course.yml", "npm": "package.json"}
    assert set(kinds) == set(files)
    for kind, name in files.items():
        assert (ROOT / kinds[kind]["directory"].lstrip("/") / name).is_file(), kind
    # What pyproject.toml holds back is not proposed.
    (ignored,) = kinds["pip"]["ignore"]
    bound = ignored["versions"][0].replace(">=", "<")
    assert re.search(
        rf'"{ignored["dependency-name"]}[^"]*{bound}[;"]', (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    )


def test_make_bundle_names_the_class():
    """The default target needs no class; STUDENTS names its list, or the gradebook."""
    for students, ending in (
        ({}, "bundle"),
        ({"STUDENTS": "students.csv"}, "bundle --students students.csv"),
        ({"STUDENTS": "gradebook"}, "bundle --students"),
        ({"STUDENTS": "lists/gradebook.csv"}, "bundle --students lists/gradebook.csv"),
    ):
        done = make("--dry-run", "bundle", "--old-file=.venv/.developer", **students)
        assert done.returncode == 0 and done.stdout.strip().endswith(f"-m course.publish {ending}"), done.stdout


# --- the Makefile itself -----------------------------------------------------------------
def test_help_names_every_target_and_no_other():
    said = re.findall(r"^make ([\w-]+)", make("help").stdout, re.M)
    assert sorted(said) == sorted(TARGETS - {"help"})


@pytest.mark.parametrize("order", [("book", "lite", "wheel"), ("wheel", "lite", "book"), ("bundle",), ("serve",)])
def test_publishing_sets_up_what_it_needs_in_any_order(order, tmp_path):
    said = make("--dry-run", f"VENV={tmp_path / 'none'}", *order).stdout
    assert re.search(rf"-m venv {tmp_path}", said)
    first = said.index("-m course.publish" if order != ("serve",) else "http.server")
    extras = re.findall(r"--editable '?\.(?:\[([\w,]+)\])?'?", said[:first])
    assert "site" in extras or "grading,test" in extras


def test_grade_setup_installs_what_grades_and_runs_no_tests(tmp_path):
    said = make("--dry-run", f"VENV={tmp_path / 'none'}", "grade-setup").stdout
    assert re.findall(r"--editable '?\.(?:\[([\w,]+)\])?'?", said) == ["grading"] * 2  # with uv, else with pip
    assert "-m pytest" not in said and "npm install" not in said


def interpreter(folder, *, built="", prefix="/opt/python", version=(3, 11), venv=True):
    """A Python in a folder of its own, which says of itself how it was built and what it can do."""
    (folder / "site").mkdir(parents=True)
    (folder / "site/sitecustomize.py").write_text(
        "import sys, sysconfig\n"
        f"sys.version_info, sys.base_prefix = {version!r}, {prefix!r}\n"
        f"sysconfig.get_config_vars()['CONFIG_ARGS'] = {built!r}\n"
        f"sys.modules['ensurepip'] = {'sys' if venv else None}\n"
    )
    (folder / "python3").write_text(f'#!/bin/sh\nPYTHONPATH="{folder}/site" exec {sys.executable} "$@"\n')
    (folder / "python3").chmod(0o755)
    return folder


def chosen(*folders):
    """What make answers where only these folders are on the path."""
    there = folders[0] / "none"
    return make("--dry-run", f"VENV={there}", there, PATH=":".join(map(str, folders))).stdout


def test_make_prefers_the_first_optimized_python(tmp_path):
    told = "'--enable-optimizations' '--enable-shared'"
    plain = interpreter(tmp_path / "a plain one")
    fast = interpreter(tmp_path / "fast", built=told)
    distribution = interpreter(tmp_path / "distribution", prefix="/usr")  # Debian's does not tell how it was built
    old = interpreter(tmp_path / "old", built=told, version=(3, 10))
    bare = interpreter(tmp_path / "bare", built=told, venv=False)
    assert f'"{fast}/python3" -m venv' in chosen(old, bare, plain, fast, distribution)
    assert f'"{distribution}/python3" -m venv' in chosen(old, bare, plain, distribution, fast)
    assert f'"{plain}/python3" -m venv' in chosen(old, bare, plain)
    assert 'test -n ""' in chosen(old, bare)


def test_make_takes_the_constraints_of_its_python(tmp_path):
    for version, file in (
        ((3, 11), "constraints.txt"),
        ((3, 14), "constraints-3.14.txt"),
        ((3, 15), "constraints-3.14.txt"),
    ):
        place = interpreter(tmp_path / "{}.{}/bin".format(*version), version=version)
        (place / "python3").rename(place / "python")
        assert f"--constraint {file} --editable" in make("--dry-run", f"VENV={place.parent}", "lab").stdout


def test_make_installs_the_releases_that_are_asked_for(tmp_path):
    there = f"VENV={tmp_path / 'none'}"
    for releases, words in (
        ("lowest", "--resolution lowest-direct"),
        ("newest", "--upgrade"),
        ("", "--constraint constraints.txt"),
    ):
        told = {"RELEASES": releases} if releases else {}
        assert f"--quiet {words} --editable '.[grading,test]'" in make("--dry-run", "test", there, **told).stdout
    refused = make("--dry-run", "test", there, RELEASES="oldest")
    assert refused.returncode and "RELEASES is pinned, lowest or newest, not oldest" in refused.stderr


def test_make_release_hands_the_version_on(ready):
    said = make("--dry-run", "release", ready, VERSION="0.3.0").stdout
    assert said.strip().endswith('-m course.publish.release "0.3.0"')
    refused = make("release", ready)
    assert refused.returncode and "not released: " in refused.stderr


@pytest.fixture
def ready(tmp_path):
    """An environment for make that is set up already: this one."""
    (tmp_path / "bin").symlink_to(Path(sys.executable).parent, target_is_directory=True)
    if (Path(sys.prefix) / "pyvenv.cfg").exists():  # by it a Python knows that its packages lie in a venv
        (tmp_path / "pyvenv.cfg").symlink_to(Path(sys.prefix) / "pyvenv.cfg")
        (tmp_path / "lib").symlink_to(Path(sys.prefix) / "lib", target_is_directory=True)
    for stamp in (".student", ".grader", ".site", ".developer", ".lint"):
        (tmp_path / stamp).touch()
    return f"VENV={tmp_path}"


def test_a_tag_must_be_the_version(ready):
    assert make("tagged", ready, TAG=f"v{__version__}").returncode == 0
    for tag in (__version__, f"v{__version__}.1", f"v{__version__}; true", ""):
        done = make("tagged", ready, TAG=tag)
        assert done.returncode and f"the tag is {tag}, but this is v{__version__}" in done.stderr


def test_a_page_that_is_served_comes_from_this_machine_only(ready):
    assert (
        "http.server --bind 127.0.0.1 --directory build/site 8123"
        in make("--dry-run", "serve", ready, "PORT=8123").stdout
    )
