"""``list`` and ``--version``: names, filters, and one record with the source of each value."""

import json

import pytest

from chip2cluster import __version__, links, shell, specs, transformer
from tests.shell.lines import said


def names(line):
    return [one.says.split(",")[0] for one in shell.ask(line).numbers]


def test_list_names_every_record_of_the_catalogs():
    assert names("list models") == [one.name for one in transformer.models()]
    assert names("list chips") == [one.name for one in specs.accelerators()]
    rates = {one.name: one.value for one in shell.ask("list networks").numbers}
    assert rates["NVLink 4 x18"] == links.nvlink(4).bandwidth_one_way == 450e9
    assert rates["InfiniBand NDR 4x"] == 50e9 and rates["PCIe 5.0 x16"] == links.pcie(5, 16).bandwidth_one_way


@pytest.mark.parametrize(
    "line, inside, outside",
    [
        ("list models llama 70b", "Llama 3.3 70B", "Llama 3 8B"),
        ("list models MoE", "DeepSeek-V3", "Llama 3 70B"),
        ("list models MLA", "Kimi K2", "gpt-oss-20b"),
        ("list models 2025", "Qwen3 8B", "GPT-3 175B"),
        ("list chips fp4", "B200", "H100 SXM"),
        ("list chips AMD", "MI300X", "B200"),
        ("list networks nvlink", "NVLink 5 x18", "PCIe 5.0 x16"),
        ("list networks B200", "DGX B200", "DGX H100"),
        ("list networks HGX", "DGX B200", "GB200 NVL72"),
    ],
)
def test_list_words_filter_names_and_descriptions(line, inside, outside):
    found = names(line)
    assert inside in found and outside not in found and len(found) > 1


def test_list_words_are_joined_by_and():
    both = set(names("list chips NVIDIA 2022"))
    assert both == set(names("list chips NVIDIA")) & set(names("list chips 2022"))


@pytest.mark.parametrize("chip", specs.accelerators(), ids=lambda one: one.id)
def test_chip_record_cites_each_of_its_values(chip):
    answer = shell.ask(f'list chips "{chip.name}"')
    rows = {one.name: one for one in answer.assumptions}
    for precision in chip.precisions_dense:
        assert answer[f"peak_flops_dense_{precision}"] == chip.peak_flops_dense(precision)
        cited = chip.source("peak_flops_dense", precision).citation
        assert rows[f"peak_flops_dense_{precision}"].source.startswith(cited)
    assert answer["driver_memory_bytes"] == chip.driver_memory_bytes
    assert rows["memory_bandwidth"].source.startswith(chip.source("memory_bandwidth").citation)


@pytest.mark.parametrize("model", transformer.models(), ids=lambda one: one.name)
def test_model_record_cites_each_of_its_values(model):
    answer = shell.ask(f'list models "{model.name}"')
    assert answer["parameters"] == transformer.parameters(model.config)
    rows = {one.name: one for one in answer.assumptions}
    assert rows["layers"].value == model.config.layers
    assert all(one.source.startswith(model.source(name).citation) for name, one in rows.items())


def test_list_of_unknown_names_the_nearest():
    with pytest.raises(shell.UsageError, match="did you mean Llama 3 8B"):
        shell.ask("list models Llama 3 9B")
    with pytest.raises(shell.UsageError, match="did you mean chips"):
        shell.ask("list chip")
    with pytest.raises(shell.UsageError, match="required: KIND$"):
        shell.ask("list")


def test_list_json_is_parsable(capsys):
    code, out, err = said(capsys, "list networks NDR --json")
    assert code == 0 and not err and json.loads(out)["numbers"][0]["value"] == 50e9


def test_version_names_package_and_catalog(capsys):
    assert shell.main(["--version"]) == 0
    assert capsys.readouterr().out.split() == [
        "chip2cluster", f"{__version__},", "catalog", "of", "chips", specs.data_version(),
    ]  # fmt: skip


def test_list_shows_published_machines_with_their_bisection():
    # NVIDIA: 3.6 TB/s both ways of a DGX H100; 72 GPUs with 1.8 TB/s both ways each of an NVL72.
    rates = {one.name: one.value for one in shell.ask("list networks").numbers}
    assert rates["DGX H100"] == 3.6e12 / 2 and rates["DGX B200"] == 8 * 1.8e12 / 4
    assert rates["GB200 NVL72"] == 36 * 1.8e12 / 2
    answer = shell.ask('list networks "GB200 SuperPOD"')
    assert answer["accelerators"] == 576 and all("NVIDIA" in one.source for one in answer.assumptions)
