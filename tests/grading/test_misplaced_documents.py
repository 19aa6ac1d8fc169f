"""Answers in an attached document or in a file beside the notebook wait for a person."""

import pytest

from autograder.grading.intake.archive import pack_submission, unpack_submission
from autograder.grading.intake.documents import document_names
from autograder.grading.intake.misplaced_answers import IN_FILE, IN_NOTEBOOK
from tests.grading.course import LAB
from tests.grading.misplaced_answers import IN_PDF, attached, insert, rebuilt, submission, waits
from tests.grading.notebooks import answered, code, find, text


def test_attached_document_waits():
    made = submission(lambda made: insert(made, attached("essay.pdf", "application/pdf", "JVBERi0=")))
    done = rebuilt(made)
    assert done.found == {"recommendation": ["the attachment `essay.pdf` of a cell"]} and waits(done.notebook)
    assert IN_NOTEBOOK in text(find(done.notebook, "recommendation"))


def test_document_beside_the_notebook_waits():
    done = rebuilt(submission(lambda made: None), documents=["my answer.pdf"])
    assert done.found == {"recommendation": [IN_PDF]} and waits(done.notebook)
    assert IN_FILE in text(find(done.notebook, "recommendation"))
    answer = rebuilt(answered(recommendation="Short, but mine."), documents=["my answer.pdf"])
    assert not answer.found and text(find(answer.notebook, "recommendation")) == "Short, but mine."
    # A file that the notebook reads or shows is not an answer.
    used = submission(lambda made: insert(made, code("rows = open('my answer.pdf').read()")))
    assert not rebuilt(used, documents=["my answer.pdf"]).found


@pytest.mark.parametrize(
    "name, is_document",
    [
        *((name, True) for name in ("essay.txt", "Answer.DOCX", "photo.jpeg", "onlinetext.html", "my answer.pdf", "a.md")),
        *((name, False) for name in ("README.md", "requirements.txt", "timestamp.txt", "submission_secret.txt")),
        *((name, False) for name in (f"lab_{LAB}.html", f"lab_{LAB} (1).pdf", "attempt.txt", "data.csv", ".x.txt")),
        *((name, False) for name in ("mine.py", "tick`.txt", "line\n.txt")),
        *((name, True) for name in ("folder.txt/essay.txt", "essay.ipynb")),
    ],
)  # fmt: skip
def test_documents_are_listed_by_name(name, is_document, tmp_path):
    folder = tmp_path / "submitted"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(b"x" * 300_000)
    (folder / f"lab_{LAB}.ipynb").write_bytes(b"{}")
    expected = [name] if is_document else []
    assert document_names(folder, f"lab_{LAB}") == expected
    there = unpack_submission(pack_submission(folder, f"lab_{LAB}"), tmp_path / "elsewhere")
    assert document_names(there, f"lab_{LAB}") == expected
    (tmp_path / "link").symlink_to(folder)
    assert document_names(tmp_path / "link", f"lab_{LAB}") == []
