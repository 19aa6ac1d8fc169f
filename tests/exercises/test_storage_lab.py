"""The lab on interruptions: its table is the published one, and its slip is found with what students write."""

import json
from pathlib import Path

import pandas as pd
import pytest

from chip2cluster import reliability
from chip2cluster.chapters.storage.lab.table_misprint import find_slip

LAB = Path(__file__).resolve().parents[2] / "solutions/12_storage/lab_12_storage.ipynb"


@pytest.fixture(scope="module")
def table():
    cells = json.loads(LAB.read_text(encoding="utf-8"))["cells"]
    names = {"pd": pd}
    exec("".join(next(cell["source"] for cell in cells if cell["id"] == "interruptions")), names)
    return names["interruptions"]


def test_the_table_is_the_published_one(table):
    published = reliability.published_interruptions()
    assert table.index.tolist() == published.index.tolist()
    assert table["count"].tolist() == published["count"].tolist() and table["count"].sum() == 419
    assert table["printed_percent"].tolist() == published["printed (%)"].tolist()


def test_its_one_slip_is_a_percentage(table):
    counts, printed = table["count"].to_numpy(), table["printed_percent"].to_numpy()
    assert find_slip(counts, printed, 419) == [0, 148, 35.3]
    misread = counts.copy()
    misread[0] = 126  # what the printed 30.1 % would be of 419, had the count been the misprint
    assert find_slip(misread, published_shares(counts), 419) == [0, 148, 35.3]


def published_shares(counts):
    return (100 * counts / counts.sum()).round(1)
