"""Order and formats of an answer: what is not met first, the assumptions that matter, Markdown, CSV and pictures."""

import csv
import io
import json
import shlex
from xml.etree import ElementTree

import pytest

from chip2cluster import shell
from chip2cluster.shell.key_assumptions import MOST, key_assumptions
from chip2cluster.shell.text_format import format_value
from tests.shell.lines import H100, LLAMA, MODULES, PLAN, said

SERVE = f'serve {LLAMA} {H100} --precision fp8 --token-within "30 ms"'
CURVES = {
    "allreduce": f'allreduce --bytes "2 GB" --nodes 32 {H100}',
    "cost": f'cost {H100} --chips 8 --time "30 days"',
    "list": 'list chips "H100 SXM"',
    "serve": SERVE,
}


def test_what_is_not_met_comes_first_and_assumptions_last(capsys):
    _, out, _ = said(capsys, f'{PLAN} --chips 1024 --deadline "100 days"')
    places = [
        out.index(word)
        for word in ("Not met: ", "expected time", "Note: ", "assumptions", "more assumptions: --assumptions all")
    ]
    assert places == sorted(places)


def test_a_layout_that_does_not_fit_says_so_in_the_third_line(capsys):
    code, out, _ = said(capsys, f"{PLAN} --chips 8")
    assert code == 1 and out.splitlines()[2].startswith("Not met: no layout of 8 chips")


@pytest.mark.parametrize("name", [name for name in MODULES if name != "compare"])
def test_short_form_counts_what_it_leaves_out(name, capsys):
    answer = shell.ask(MODULES[name].EXAMPLE)
    shown = key_assumptions(answer)
    assert len(shown) <= max(MOST, len(answer.assumptions) if len(answer.assumptions) <= MOST else MOST)
    _, short, _ = said(capsys, MODULES[name].EXAMPLE)
    _, every, _ = said(capsys, f"{MODULES[name].EXAMPLE} --assumptions all")
    hidden = len(answer.assumptions) - len(shown)
    assert (f"{hidden} more assumption" in short) == (hidden > 0) and "--assumptions all" not in every


# An option of a hidden assumption that cannot be halved or doubled as it is written.
ODD = {"country", "spares", "domain"}


@pytest.mark.parametrize("name", ["plan", "checkpoint", "cost"])
def test_hidden_assumptions_change_little(name):
    line = MODULES[name].EXAMPLE
    base = shell.ask(line)
    shown = {one.name for one in key_assumptions(base)}
    for one in base.assumptions:
        number = isinstance(one.value, int | float)
        if one.name in shown or one.kind == "given" or not one.option or not number or one.option[2:] in ODD:
            continue
        for factor in (0.5, 2):
            value = min(one.value * factor, 1) if one.unit == "share" else one.value * factor
            unit = one.unit if one.unit in ("s", "B/s", "W") else ""
            try:
                other = shell.ask(f'{line} {one.option} "{value:.12g} {unit}"')
            except shell.UsageError:  # below the least legal value, such as a PUE under 1
                continue
            for result in base.numbers[:3]:
                if isinstance(result.value, int | float) and result.value:
                    assert abs(other[result.name] / result.value - 1) < 0.1, (one.name, result.name)


@pytest.mark.parametrize("name", [*MODULES])
def test_markdown_has_every_number_in_a_table(name, capsys):
    answer = shell.ask(MODULES[name].EXAMPLE)
    _, out, _ = said(capsys, f"{MODULES[name].EXAMPLE} --markdown")
    rows = [line for line in out.splitlines() if line.startswith("|")]
    for one in answer.numbers:
        cell = format_value(one.value, one.unit).replace("|", "\\|").replace("<", "&lt;")
        assert any(cell in row for row in rows), one.name
    for table in out.split("\n\n"):
        widths = {line.replace("\\|", "").count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(widths) <= 1


@pytest.mark.parametrize("name", [*MODULES])
def test_csv_has_what_json_has(name, capsys):
    _, out, _ = said(capsys, f"{MODULES[name].EXAMPLE} --csv --assumptions all")
    answer = shell.ask(MODULES[name].EXAMPLE)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["name"] for row in rows if row["part"] == "number"] == [one.name for one in answer.numbers]
    assert len([row for row in rows if row["part"] == "assumption"]) == len(answer.assumptions)
    assert [row["says"] for row in rows if row["part"] == "note"] == list(answer.remarks)
    for row, one in zip(rows, answer.numbers, strict=False):
        if isinstance(one.value, float):
            assert float(row["value"]) == one.value


def test_csv_of_a_capture_runs_no_formula(tmp_path, capsys):
    file = tmp_path / "fio.txt"
    file.write_text(
        '=HYPERLINK("x"): (groupid=0, jobs=1): err= 0\n  read: IOPS=2967, BW=11.7MiB/s (12.2MB/s)(174MiB/15017msec)\n'
    )
    _, out, _ = said(capsys, f"read {file} --csv")
    cells = [cell for row in csv.reader(io.StringIO(out)) for cell in row]
    assert any(cell.startswith("'=") for cell in cells) and not any(cell.startswith("=") for cell in cells)


@pytest.mark.parametrize("name", CURVES)
def test_plot_writes_a_picture_with_title_and_text(name, tmp_path, capsys):
    file = tmp_path / "curve.svg"
    code, out, err = said(capsys, f"{CURVES[name]} --plot {file}")
    assert code == 0 and not err and out
    root = ElementTree.fromstring(file.read_text())
    words = [one.text for one in root.iter() if one.tag.endswith(("title", "desc"))]
    assert len(words) == 2 and all(words)


def test_plot_never_replaces_a_file(tmp_path, capsys):
    file = tmp_path / "mine.svg"
    file.write_text("mine")
    code, _, err = said(capsys, f"{CURVES['cost']} --plot {file}")
    assert code == 2 and "exists already" in err and file.read_text() == "mine"


@pytest.mark.parametrize(
    ("line", "file", "says"),
    [
        ("kernel --capability 9.0 --threads 256", "a.svg", "this answer has no curve"),
        (CURVES["cost"], "a.pdf", "must end with .svg or .png"),
        (CURVES["cost"], "none/a.svg", "there is no folder"),
        (CURVES["allreduce"].replace("2 GB", "100 GB"), "a.svg", "buffers of 1 KB to 10 GB"),
    ],
)
def test_plot_that_cannot_be_drawn_is_refused(line, file, says, tmp_path):
    with pytest.raises(shell.UsageError, match=says):
        shell.ask(f"{line} --plot {tmp_path / file}")
    assert not list(tmp_path.iterdir())


# --- kernel -----------------------------------------------------------------------------------------


def test_kernel_counts_kilobytes_as_cuda_prints_them():
    """ncu prints 50 KB for 51,200 bytes; with 1 KiB of reserve two blocks need 102 KiB of the 100 of an RTX 3090."""
    line = 'kernel --chip "RTX 3090" --threads 256 --registers 32'
    assert shell.ask(f'{line} --shared "50 KB"')["active_blocks"] == 1
    for size in ('--shared "50 KiB"', "--shared 51200", '--static "20 KB" --shared "30 KB"'):
        assert shell.ask(f"{line} {size}")["active_blocks"] == 1


def test_kernel_of_amd_prints_the_waves_of_the_compiler():
    """512 vector registers of a SIMD over 64 are 8 wavefronts (LLVM, AMDGPU usage)."""
    for chip in ("--chip MI300X", "--capability gfx942"):
        answer = shell.ask(f"kernel {chip} --threads 256 --registers 64")
        assert answer["waves_per_simd"] == 8 and answer["occupancy"] == 1
    assert not shell.ask("kernel --chip MI300X --threads 256 --registers 128 --at-least 60%").met


def test_kernel_counts_clusters_of_the_measured_cards():
    answer = shell.ask(f'kernel {H100} --threads 1024 --registers 64 --cluster 16 --shared "200 KB"')
    assert answer["active_blocks"] == 1 and answer["active_clusters"] == 7


# --- compare ---------------------------------------------------------------------------------------


def saved(tmp_path, name, line, capsys):
    _, out, _ = said(capsys, f"{line} --json")
    file = tmp_path / name
    file.write_text(out)
    return file


def test_compare_gives_ratios_and_what_differs(tmp_path, capsys):
    line = f'cost {H100} --chips 64 --price 2 --time "10 h"'
    first = saved(tmp_path, "a.json", line, capsys)
    second = saved(
        tmp_path, "b.json", line.replace("--chips 64", "--chips 128").replace("--price 2", "--price 3"), capsys
    )
    answer = shell.ask(f"compare {first} {second}")
    assert answer["question_chips"] == "64 → 128" and answer["question_price"] == "$2.00 → $3.00"
    assert answer["ratio_rent_dollars"] == 3 and answer["ratio_chip_hours"] == 2
    assert shell.ask(f"compare {first} {first}").remarks == ("The answers are the same.",)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"command": 1}', "null", '"x"'])
def test_compare_refuses_what_is_not_an_answer(text, tmp_path):
    file = tmp_path / "a.json"
    file.write_text(text)
    with pytest.raises(shell.UsageError, match="not a whole JSON file|not an answer of chip2cluster"):
        shell.ask(f"compare {file} {file}")


def test_compare_refuses_a_cut_or_mixed_pair(tmp_path, capsys):
    first = saved(tmp_path, "a.json", f'cost {H100} --chips 64 --time "10 h"', capsys)
    second = saved(tmp_path, "b.json", f"size {LLAMA} {H100}", capsys)
    with pytest.raises(shell.UsageError, match="of two commands, cost and size"):
        shell.ask(f"compare {first} {second}")
    whole = json.loads(first.read_text())
    text = json.dumps(whole)
    for end in range(0, len(text), 97):
        second.write_text(text[:end])
        with pytest.raises(shell.UsageError, match="not a whole JSON file"):
            shell.ask(f"compare {first} {second}")


def test_compare_needs_two_files(tmp_path):
    with pytest.raises(shell.UsageError, match="name two files"):
        shell.ask("compare")
    with pytest.raises(shell.UsageError, match="cannot be read"):
        shell.ask(shlex.join(["compare", str(tmp_path / "a"), str(tmp_path / "b")]))
