"""Releases: ``python -m course.publish.release 0.3.0`` sets the version, commits it and tags the commit.

The version stands in the package, in ``CITATION.cff`` and as a heading of ``CHANGELOG.md``. Nothing is pushed.
"""

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE, CITATION, CHANGELOG = "course/chip2cluster/__init__.py", "CITATION.cff", "CHANGELOG.md"
VERSION = re.compile(r'^__version__ = "([^"]*)"$', re.M)
NEXT = re.compile(r"^## Next\n(.*?)(?=^## |\Z)", re.M | re.S)


class ReleaseError(Exception):
    """A release that was refused. The message names the fix."""


def release(version, date, root=ROOT):
    """Write ``version`` and ``date`` into the files that carry them, commit these files and tag the commit."""
    root, tag = Path(root), f"v{version}"
    _check_repository(root, tag)
    old = {name: (root / name).read_text(encoding="utf-8") for name in (PACKAGE, CITATION, CHANGELOG)}
    new = updated_texts(old, version, date)
    try:
        _write(root, new)
        _git(root, "commit", "--quiet", "--message", f"release: {version}", "--", *new)
    except ReleaseError:
        _write(root, old)
        raise
    _git(root, "tag", "--annotate", "--message", f"Version {version}", tag)
    return tag


def updated_texts(texts, version, date):
    """Return the three files, by name, with the new version and date; refuse what would be a bad release."""
    found = VERSION.search(texts[PACKAGE])
    if not found:
        raise ReleaseError(f'{PACKAGE} has no line __version__ = "…": restore it')
    if _numbers(version) <= _numbers(found[1]):
        raise ReleaseError(f"{version} is not newer than {found[1]}, the version in {PACKAGE}: choose a higher one")
    section = NEXT.search(texts[CHANGELOG])
    if not section or not section[1].strip():
        raise ReleaseError(
            f"{CHANGELOG} says nothing under ## Next: write there what a reader can do now, and commit it"
        )
    citation = _with_value(texts[CITATION], "version", version)
    return {
        PACKAGE: VERSION.sub(f'__version__ = "{version}"', texts[PACKAGE]),
        CITATION: _with_value(citation, "date-released", date.isoformat()),
        CHANGELOG: texts[CHANGELOG].replace("## Next\n", f"## Next\n\n## {version} ({date.isoformat()})\n", 1),
    }


def _numbers(version):
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"{version!r} is not a version: write three numbers, as in make release VERSION=0.3.0")
    return tuple(map(int, version.split(".")))


def _with_value(citation, key, value):
    text, count = re.subn(rf'^{key}: ".*"$', f'{key}: "{value}"', citation, flags=re.M)
    if count != 1:
        raise ReleaseError(f'{CITATION} must have one line {key}: "…", not {count}')
    return text


def _check_repository(root, tag):
    if changes := _git(root, "status", "--porcelain"):
        raise ReleaseError(f"there are changes that are not committed: commit or remove them first\n{changes}")
    if _git(root, "tag", "--list", tag):
        raise ReleaseError(f"the tag {tag} exists: choose a higher version, or remove it with git tag --delete {tag}")


def _write(root, texts):
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")


def _git(root, *arguments):
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    if done.returncode:
        raise ReleaseError(f"git {arguments[0]} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout.rstrip()


def main(arguments=None, root=ROOT):
    """Release the version that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m course.publish.release", description=__doc__)
    parser.add_argument("version", help="the new version, such as 0.3.0")
    version = parser.parse_args(arguments).version
    try:
        tag = release(version, datetime.date.today(), root)
    except ReleaseError as problem:
        sys.exit(f"not released: {problem}")
    print(f"committed and tagged {tag}; to publish it: git push --atomic origin HEAD {tag}")


if __name__ == "__main__":
    main()
