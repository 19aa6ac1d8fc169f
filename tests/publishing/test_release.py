"""Releases, made in a scratch repository."""

import datetime
import shutil
import subprocess
from pathlib import Path

import pytest

from chip2cluster import __version__
from course.publish.release import CHANGELOG, CITATION, PACKAGE, ReleaseError, main, release
from tests.tables import every_row

ROOT = Path(__file__).resolve().parents[2]
DAY = datetime.date(2030, 1, 31)
NEWER = "{}.{}.{}".format(*(int(part) + 1 for part in __version__.split(".")))


def git(root, *arguments):
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """The three files of this repository that carry the version, committed, with one line under *Next*."""
    # Settings of the user's own, such as signed commits, stay out.
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):  # set where git runs the tests from a hook
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "repository"
    for name in (PACKAGE, CITATION, CHANGELOG):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    git(root, "init", "--quiet")
    git(root, "config", "--global", "user.name", "A Maintainer")
    git(root, "config", "--global", "user.email", "maintainer@example.org")
    change(root, CHANGELOG, "## Next\n", "## Next\n- Do one thing more.\n")
    return root


def change(root, name, old, new):
    """Replace text in a file, and commit."""
    text = (root / name).read_text(encoding="utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "change")


def test_release_sets_the_version_and_date_everywhere(repository):
    assert release(NEWER, DAY, repository) == f"v{NEWER}"
    texts = {name: (repository / name).read_text(encoding="utf-8") for name in (PACKAGE, CITATION, CHANGELOG)}
    assert f'\n__version__ = "{NEWER}"\n' in texts[PACKAGE]
    assert f'\nversion: "{NEWER}"\ndate-released: "2030-01-31"\n' in texts[CITATION]
    assert f"## Next\n\n## {NEWER} (2030-01-31)\n- Do one thing more.\n" in texts[CHANGELOG]


def test_release_commits_and_tags_these_files_alone(repository):
    release(NEWER, DAY, repository)
    assert git(repository, "status", "--porcelain") == ""
    assert git(repository, "show", "--format=%s", "--name-only").split("\n") == [
        *(f"release: {NEWER}", ""),
        *sorted((PACKAGE, CITATION, CHANGELOG)),
    ]
    assert git(repository, "describe", "--exact-match") == f"v{NEWER}"


def test_release_refuses_a_second_one_with_nothing_new(repository):
    release(NEWER, DAY, repository)
    with pytest.raises(ReleaseError, match="says nothing under ## Next: write there"):
        release(f"9{NEWER}", DAY, repository)


@every_row("version", [__version__, "0.0.9", "0.1", "v99.0.0", "99.0.0rc1", ""])
def test_release_refuses_a_version_that_is_not_newer(version, repository):
    with pytest.raises(ReleaseError, match="is not newer than|is not a version: write three numbers"):
        release(version, DAY, repository)
    assert git(repository, "tag", "--list") == git(repository, "status", "--porcelain") == ""


def test_release_compares_versions_as_numbers(repository):
    change(repository, PACKAGE, f'"{__version__}"', '"0.9.0"')
    assert release("0.10.0", DAY, repository) == "v0.10.0"


@pytest.mark.parametrize("name", [CHANGELOG, "forgotten.txt"])
def test_release_refuses_a_tree_with_changes(name, repository):
    with (repository / name).open("a", encoding="utf-8") as file:
        file.write("more\n")
    with pytest.raises(ReleaseError, match=f"commit or remove them first\n.*{name}"):
        release(NEWER, DAY, repository)


def test_release_refuses_a_tag_that_exists(repository):
    git(repository, "tag", f"v{NEWER}")
    with pytest.raises(ReleaseError, match=f"the tag v{NEWER} exists: .* git tag --delete v{NEWER}"):
        release(NEWER, DAY, repository)


@pytest.mark.parametrize(
    "name, old, new, words",
    [
        (PACKAGE, "__version__ =", "version =", "has no line __version__"),
        (CITATION, "date-released", "released", "must have one line date-released"),
        (CHANGELOG, "## Next\n", "## Later\n", "says nothing under ## Next"),
    ],
)
def test_release_names_the_line_that_is_missing(name, old, new, words, repository):
    change(repository, name, old, new)
    with pytest.raises(ReleaseError, match=f"{name} {words}"):
        release(NEWER, DAY, repository)
    assert git(repository, "status", "--porcelain") == ""


def test_release_restores_the_files_when_git_refuses(repository):
    hook = repository / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho no commits today >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(ReleaseError, match="git commit failed: no commits today"):
        release(NEWER, DAY, repository)
    assert git(repository, "status", "--porcelain") == git(repository, "tag", "--list") == ""


def test_release_command_says_how_to_publish_or_what_is_wrong(repository, capsys):
    with pytest.raises(SystemExit, match=f"not released: {__version__} is not newer"):
        main([__version__], repository)
    main([NEWER], repository)
    assert f"git push --atomic origin HEAD v{NEWER}" in capsys.readouterr().out
