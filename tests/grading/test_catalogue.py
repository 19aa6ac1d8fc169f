"""Results state the version of the accelerator data that they depend on."""

from pathlib import Path
from types import SimpleNamespace

from autograder.grading.lab import Lab
from autograder.grading.reports.feedback_page import feedback_page
from autograder.grading.reports.report import build_report
from autograder.grading.result import Result
from autograder.grading.student_seeds import secrets_for
from autograder.grading.submission import grade_notebook
from autograder.sandbox import Limits
from chip2cluster import specs
from tests.grading.samples import graded, lab


def test_new_result_has_the_current_catalogue_version():
    empty = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    box = SimpleNamespace(name="none", limits=Limits(), run=lambda *_, **more: [])
    lab = Lab("01_lab", "lab_01_lab", empty, (), {}, Path())
    result = grade_notebook(empty, "ann", lab, box, secrets_for(lab, "ann"))
    assert result.catalogue == result.row()["catalogue"] == specs.data_version()


def test_stored_result_keeps_its_catalogue_version():
    stored = graded("ann", catalogue="2025.01").to_json()
    assert Result.from_json(stored).catalogue == "2025.01"
    del stored["catalogue"]
    assert Result.from_json(stored).catalogue == ""


def test_report_names_every_catalogue_version():
    results = [graded("ann", catalogue="2026.11"), graded("bob", catalogue="2025.01"), graded("old")]
    summary = build_report(results, lab())
    assert summary.catalogues == ["2025.01", "2026.11"]
    assert "2025.01, 2026.11" in summary.text() and "2025.01, 2026.11" in summary.html()
    assert "Catalogue of chips" not in build_report(results[2:], lab()).text()


def test_feedback_names_the_catalogue_version():
    assert "Graded with version 2026.11" in feedback_page(graded("ann", catalogue="2026.11"), lab())
    assert "Graded with version" not in feedback_page(graded("ann"), lab())
