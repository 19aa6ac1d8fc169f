"""Readers of whole prints in any wrapping, and cut anywhere: right or refused, never wrong."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import measure
from tests.models.test_tool_output import CAPTURES

DATA = Path(__file__).parent / "data"
PRINTS = {
    "gpu/nvidia-smi": measure.read_smi_table,
    "measure/rocm_smi": measure.read_rocm_smi,
    "measure/rocm_smi_5": measure.read_rocm_smi,
    "measure/rocm_smi_6": measure.read_rocm_smi,
    "measure/rocm_smi_memory": measure.read_rocm_smi,
    "measure/dcgmi_dmon": measure.read_dcgmi_dmon,
    "measure/dcgmi_diag": measure.read_dcgmi_diag,
    "measure/dcgmi_diag_4": measure.read_dcgmi_diag,
    "measure/dcgmi_stats": measure.read_dcgmi_stats,
    "measure/sprio": measure.read_sprio,
    "measure/sprio_long": measure.read_sprio,
    "measure/sprio_normalized": measure.read_sprio,
    "measure/sprio_weights": measure.read_sprio,
    "measure/sshare": measure.read_sshare,
    "measure/scontrol_job": measure.read_scontrol,
    "measure/scontrol_node": measure.read_scontrol,
    "measure/scontrol_node_oneline": measure.read_scontrol,
    "measure/scontrol_node_drained": measure.read_scontrol,
}
TEXTS = {name: (DATA / f"{name}.txt").read_text() for name in PRINTS}
# Prefixes that hold only if several lines have them, and a terminal's own escapes in the first line.
CUT = {name: CAPTURES[name] for name in ("as printed", "CRLF", "pdsh", "kubectl --timestamps", "indented", "quote")}


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("name", PRINTS)
def test_any_prefix_and_any_escape_says_the_same(name, capture):
    read, text = PRINTS[name], TEXTS[name]
    try:
        found = read(CAPTURES[capture](text))
    except ValueError:
        # A prefix before one or two lines is not known as one.
        assert len(text.splitlines()) <= 3
        return
    assert found == read(text)


def agrees(part, whole):
    """Return whether everything that was read is in the reading of the whole text."""
    if isinstance(whole, measure.SmiTable):
        return part[:3] == whole[:3]
    if isinstance(whole, measure.DcgmDiag):
        return part == whole
    return len(part) <= len(whole) and all(
        all(name in right and right[name] == value for name, value in row.items())
        for row, right in zip(part, whole, strict=False)
    )


@pytest.mark.parametrize("capture", CUT)
@pytest.mark.parametrize("name", PRINTS)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_a_cut_print_is_right_or_refused(name, capture, data):
    read, text = PRINTS[name], CUT[capture](TEXTS[name])
    end = data.draw(st.integers(0, len(text) - 1))
    try:
        part = read(text[:end])
    except ValueError:
        return
    assert agrees(part, read(TEXTS[name])), text[:end][-80:]
