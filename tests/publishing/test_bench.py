"""The benchmark's table and its measuring loop; no speed is tested here."""

import re
import subprocess
import sys
import typing

import pytest

from tests.bench import __main__ as bench
from tests.bench import models
from tests.bench.peak import peak_bytes
from tests.bench.rows import MissingTool, Row, call_row, find_chromium, once
from tests.bench.table import (
    HEADINGS,
    ROOT,
    Result,
    format_number,
    format_result,
    format_table,
    measure_row,
    measure_rows,
)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def fail():
    raise ValueError("no | such\nthing")


FAST = Row("fast", lambda: 2e-6, lambda: 4e-6, budget=1e-5, max_ratio=1.0)
SLOW = Row("slow", lambda: 3e-2, budget=16e-3)
BROKEN = Row("broken", fail, budget=1.0)


def test_table_has_one_line_of_five_cells_per_row():
    results = [measure_row(row) for row in (FAST, SLOW, BROKEN)]
    page = format_table(results, [("commit", "abc"), ("part browser", "left out, because\nit is gone")]).splitlines()
    table = [cells(line) for line in page if line.startswith("|")]
    assert "* commit: abc" in page and "* part browser: left out, because it is gone" in page
    assert table[0] == list(HEADINGS)
    assert all(re.fullmatch(":?--+:?", cell) for cell in table[1])
    assert [len(line) for line in table] == [len(HEADINGS)] * 5
    assert table[2] == ["fast", "2 µs", "4 µs", "0.5x", "10 µs, 1x"]
    assert table[3] == ["slow", "30 ms", "", "", "16 ms **missed**"]
    assert table[4] == ["broken", r"**failed** ValueError: no \| such thing", "", "", "1 s"]


def test_table_marks_a_missed_ratio_only():
    within, over = Row("", lambda: 2.0, lambda: 1.0, max_ratio=2), Row("", lambda: 2.1, lambda: 1.0, max_ratio=2)
    assert not measure_row(within).missed and "missed" not in format_result(measure_row(within))
    assert measure_row(over).missed and "2x **missed**" in format_result(measure_row(over))


def test_table_formats_times_and_sizes():
    assert [format_number(value, "s") for value in (75, 0.5, 9.997e-4, 1.5e-8, 0)] == [
        "75 s",
        "500 ms",
        "1,000 µs",
        "15 ns",
        "0 ns",
    ]
    assert [format_number(value, "B") for value in (2e5, 1.5e6, 10)] == ["200 KB", "1.5 MB", "10 B"]


def test_failing_row_does_not_stop_the_others(capsys):
    results = list(measure_rows([BROKEN, FAST], "models"))
    assert [result.error for result in results] == ["ValueError: no | such\nthing", ""]
    assert results[1] == Result(FAST, 2e-6, 4e-6)
    assert capsys.readouterr().err.splitlines() == ["models [1/2] broken", "models [2/2] fast"]


def test_failing_baseline_fails_its_row():
    assert "no | such" in measure_row(Row("", lambda: 1.0, fail)).error


def test_baseline_of_zero_fails_its_row():
    assert "no ratio" in measure_row(Row("", lambda: 1.0, lambda: 0.0)).error
    assert "**failed**" in format_result(measure_row(Row("", lambda: 1.0, lambda: 0.0)))


def test_peak_bytes_ignores_the_parent():
    held = bytearray(100 * 2**20)
    held[::4096] = b"1" * len(held[::4096])
    command = [sys.executable, "-c", "from tests.bench.peak import peak_bytes; print(peak_bytes())"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert 10**6 < int(done.stdout) < 60 * 10**6
    assert peak_bytes() > len(held)


def test_module_that_cannot_be_set_up_is_a_row(monkeypatch):
    from tests.bench import bench_roofline

    monkeypatch.setattr(models, "list_modules", lambda: ["bench_roofline", "bench_nosuch", "bench_shell"])
    monkeypatch.setattr(bench_roofline, "rows", fail)
    rows = {row.name: row for row in models.rows(None)}
    assert measure_row(rows["roofline: its rows could not be set up"]).error.startswith("ValueError")
    assert measure_row(rows["nosuch: its rows could not be set up"]).error.startswith("ModuleNotFoundError")
    assert any(name.startswith("shell: ask") for name in rows)


def part(monkeypatch, rows):
    module = type("Part", (), {"rows": staticmethod(rows)})
    monkeypatch.setattr(bench, "PARTS", {"page": "a part"})
    monkeypatch.setattr(bench.importlib, "import_module", lambda name: module)


def test_part_without_its_tool_is_left_out_by_name(monkeypatch):
    def rows(stack):
        raise MissingTool("no Chromium on the path")

    part(monkeypatch, rows)
    assert bench.run_part("page", "", []) == "left out, because no Chromium on the path"


def test_tool_missing_in_a_row_leaves_out_the_part(monkeypatch):
    def grade():
        raise MissingTool("no sandbox can run here")

    part(monkeypatch, lambda stack: [Row("grade", grade), FAST])
    results = []
    assert bench.run_part("page", "", results) == "left out, because no sandbox can run here"
    assert results == []


def test_part_without_its_package_is_left_out_by_name(monkeypatch):
    monkeypatch.setattr(bench, "PARTS", {"page": "nosuchpackage.part"})
    assert "package nosuchpackage is not installed" in bench.run_part("page", "", [])


def test_part_runs_only_rows_that_contain_the_text(monkeypatch):
    results = []
    part(monkeypatch, lambda stack: [FAST, SLOW])
    assert bench.run_part("page", "low", results).startswith("rows measured: 1, in ")
    assert [result.row.name for result in results] == ["slow"]


def test_missing_chromium_is_a_missing_tool(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    with pytest.raises(MissingTool, match="no Chromium on the path.*CHROMIUM"):
        find_chromium()
    monkeypatch.setenv("CHROMIUM", "/nowhere/chromium")
    with pytest.raises(MissingTool, match="/nowhere/chromium"):
        find_chromium()


@pytest.fixture
def output(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "ROOT", tmp_path)
    monkeypatch.setattr(bench, "OUTPUT", tmp_path / "build/bench.md")
    part(monkeypatch, lambda stack: [FAST, SLOW, BROKEN])
    return bench.OUTPUT


def test_whole_run_writes_the_table_that_it_prints(output, capsys):
    bench.main([])
    page = output.read_text(encoding="utf-8")
    assert page.strip() == capsys.readouterr().out.strip()
    for fact in ("date", "commit", "load average", "processors", "versions", "part page"):
        assert f"* {fact}: " in page
    for name in ("Python", "NumPy", "matplotlib", "JupyterLab", "nbgrader", "Chromium"):
        assert name in page
    assert "* rows: 3, of which 1 missed their budget and 1 failed" in page


def test_run_of_one_part_leaves_the_whole_table(output, capsys):
    bench.main(["--part", "page"])
    bench.main(["--only", "slow"])
    assert not output.exists()
    assert "| slow |" in capsys.readouterr().out


def test_interrupted_run_keeps_the_rows_before(monkeypatch, output):
    def interrupt():
        raise KeyboardInterrupt

    part(monkeypatch, lambda stack: [FAST, Row("stopped", interrupt)])
    bench.main([])
    page = output.read_text(encoding="utf-8")
    assert "* part page: interrupted" in page and "| fast |" in page and "| stopped |" not in page


def test_once_does_not_repeat_a_failed_measurement():
    calls = []

    def build(page):
        calls.append(page)
        return 1 / page

    build_once = once(build)
    for page in (0, 0, 4, 4):
        if page:
            assert build_once(page) == 0.25
        else:
            with pytest.raises(ZeroDivisionError):
                build_once(page)
    assert calls == [0, 4]


class FakeTimer:
    """A timer whose calls take three seconds first, then two."""

    repeats: typing.ClassVar = []

    def __init__(self, function, timer):
        pass

    def autorange(self):
        return 1, 3.0

    def repeat(self, repeats, number):
        self.repeats.append(repeats)
        return [2.0] * repeats


def test_call_row_repeats_a_long_call_less_often(monkeypatch):
    monkeypatch.setattr("tests.bench.rows.Timer", FakeTimer)
    monkeypatch.setattr(FakeTimer, "repeats", [])
    row = call_row("a call", sum, len, budget=1.0, max_ratio=3)
    assert measure_row(row) == Result(row, 2.0, 2.0)
    assert FakeTimer.repeats == [1, 1] and (row.budget, row.max_ratio) == (1.0, 3)
    assert call_row("a call", sum).baseline is None
