"""The guides of ``docs/`` are pages of the book."""

import re

import pytest

from course.publish.book import guides, sources

HOST = "https://example.org/files"


@pytest.fixture
def pages(tmp_path):
    guides.write(tmp_path, HOST)
    return {path.stem: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}


def test_guides_have_pages_and_entries_in_the_side_bar(pages):
    listed = [re.fullmatch(r"(\w.+) <([\w-]+)>", entry).groups() for entry in guides.entries()]
    assert sorted(page for _, page in listed) == sorted(pages) and len(pages) >= 9
    assert [page for _, page in listed][:2] == ["guide-students", "guide-instructors"]
    assert all(pages[page].startswith(f"# {title}\n") for title, page in listed)


def test_guides_link_to_pages_and_to_files_of_the_repository(pages):
    assert "](guide-not-tried.html)" in pages["guide-students"]
    assert f"]({HOST}/.github/workflows/course.yml)" in pages["guide-publishing"]
    assert "](guide-maintainers-releases.html#make-a-release)" in pages["guide-publishing"]


def test_guide_with_a_dead_link_ends_the_build(tmp_path, monkeypatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/odd.md").write_text("# Odd\n\n[gone](nothing.md)\n", encoding="utf-8")
    monkeypatch.setattr(guides, "DOCS", tmp_path / "docs")
    with pytest.raises(sources.BrokenReference, match="odd: there is no file nothing.md"):
        guides.write(tmp_path, HOST)
