"""The command `score`: rows seen and unseen by the fit, and tables of other people."""

import re

import pytest

from chip2cluster.reality.__main__ import main
from tests.models.expected_times import ROWS


def test_score_prints_blind_and_seen_rows(capsys):
    assert main(["score", str(ROWS / "gemm.csv")]) == 0
    printed = capsys.readouterr().out
    for label in (
        "gemm",
        "seen by the fit",
        "blind",
        "H100 SXM",
        "roofline",
        "constant",
        "by configuration",
        "by chip",
    ):
        assert label in printed


def test_score_of_a_strangers_table(tmp_path, capsys):
    table = tmp_path / "mine.csv"
    table.write_text("chip,precision,m,n,k,seconds\nH100 SXM,bf16,2048,2048,2048,2.68e-05\n", encoding="utf-8")
    assert main(["score", str(table)]) == 0
    assert "100 %" in capsys.readouterr().out
    table.write_text("chip,seconds\nH100 SXM,1\n", encoding="utf-8")
    assert main(["score", str(table)]) == 1
    assert "no kind has these columns" in capsys.readouterr().err
    assert main(["score", str(tmp_path / "absent.csv")]) == 1


HEADER, LINE = "chip,precision,m,n,k,seconds", "H100 SXM,bf16,2048,2048,2048,2.68e-05"
PRODUCT = "H100 SXM,bf16,2048,2048,2048,"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (f"{HEADER},colour\n{LINE},3\n", "columns that no law of gemm reads: colour"),
        (f"{HEADER.title()}\n{LINE}\n", "100 %"),
        (f" {HEADER.replace(',', ' , ')} \n{LINE.replace(',', ' , ')}\n", "100 %"),
        (f"{HEADER}\n\n{LINE}\n,,,,,\n\n", "100 %"),
        (HEADER + '\n"H100 SXM","bf16","2048","2048","2048","2.68e-05"\n', "100 %"),
        (f"\ufeff{HEADER}\r\n{LINE}\r\n", "100 %"),
        (HEADER.replace("precision", "kernel_precision") + f"\n{LINE}\n", "100 %"),
        (f"{HEADER}\n{LINE}\nNo such GPU,bf16,1,2,3,1e-5\n", "not asked: 1 rows; first reason: no accelerator"),
        (f"# by hand\n{HEADER}\n{PRODUCT}26.8us\n", "line 3, seconds: '26.8us' is not a number; give it without a unit"),
        (f'{HEADER}\n{PRODUCT}"0,0000268"\n', "line 2, seconds: '0,0000268'.*decimal point"),
        (f'{HEADER}\nH100 SXM,bf16,"2,048",2048,2048,1e-5\n', "line 2, m: '2,048'.*no thousands separator"),
        (f"{HEADER}\n{PRODUCT}0\n", "line 2, seconds: a measured time must be finite and positive"),
        (f"{HEADER}\n{LINE}\n\n{PRODUCT}nan\n", "line 4, seconds: a measured time must be finite"),
        (f"{HEADER}\nH100 SXM,bf16,2048,2048,1e-5\n", "line 2: 5 values for 6 columns"),
        (f"{HEADER}\n{LINE},7\n", "line 2: 7 values for 6 columns"),
        (f"{HEADER}\nH100 SXM,bf16,,2048,2048,1e-5\n", "line 2: no value of 'm'"),
        (f"{HEADER},m\n{LINE},1\n", "column 'm' twice"),
        (f"{HEADER}\n{LINE}\n".replace(",", ";"), "separates columns with ';'"),
        (f"{HEADER}\n{LINE}\n".replace(",", "\t"), "separates columns with .*save it with commas"),
        ("gpu,precision,m,n,k,time_us\nH100 SXM,bf16,1,2,3,4\n", "nearest is gemm, which also needs chip, seconds"),
        ("", "is empty; its first line names the columns"),
        (f"{HEADER}\n", "has no rows of gemm"),
    ],
)  # fmt: skip
def test_score_reads_odd_tables_or_names_the_fix(tmp_path, capsys, text, answer):
    table = tmp_path / "mine.csv"
    table.write_bytes(text.encode())
    status = main(["score", str(table)])
    printed = capsys.readouterr()
    assert re.search(answer, printed.out if status == 0 else printed.err), printed
    assert (status == 0) == bool(printed.out)


def test_score_refuses_a_table_in_utf_16(tmp_path, capsys):
    table = tmp_path / "mine.csv"
    table.write_bytes(f"{HEADER}\n{LINE}\n".encode("utf-16"))
    assert main(["score", str(table)]) == 1
    assert "save it as CSV in UTF-8" in capsys.readouterr().err
