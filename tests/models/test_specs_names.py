"""Names of accelerators: found, ambiguous, unknown, malformed."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chip2cluster import specs
from tests.models.catalogue import ALL, EACH
from tests.tables import every_row


@every_row(
    ("name", "expected"),
    [
        ("H100 SXM", "h100-sxm5"), ("h100-sxm5", "h100-sxm5"), ("h100 sxm5 80gb", "h100-sxm5"), ("H100SXM", "h100-sxm5"),
        ("H100 PCIe", "h100-pcie"), ("h200", "h200-sxm"), ("MI300X", "mi300x"), ("AMD Instinct MI300X", "mi300x"),
        ("TPU v4", "tpu-v4"), ("tpu-v5p", "tpu-v5p"), ("v5e", "tpu-v5e"), ("Google TPU_v3", "tpu-v3"),
        ("Trillium", "tpu-v6e"), ("TPU v6e (Trillium)", "tpu-v6e"), ("Ironwood", "tpu-v7x"), ("TPU v7x", "tpu-v7x"),
        ("B200", "b200-hgx"), ("HGX B200", "b200-hgx"), ("GB200", "gb200-gpu"), ("A100 SXM4 80GB", "a100-80-sxm4"),
        ("A100 80GB", "a100-80-sxm4"), ("a100 80 gb", "a100-80-sxm4"), ("A100 40GB", "a100-40-sxm4"), ("L4", "l4"),
        ("NVIDIA L4", "l4"), ("L40S", "l40s"), ("V100", "v100-sxm2"), ("GH200 144 GB", "gh200-144"),
        ("gaudi3", "gaudi3"), ("Intel Gaudi 2", "gaudi2"), ("trn2", "trn2"), ("AWS Trainium 1", "trn1"),
        ("Ascend 910", "ascend-910"), ("Ascend 910B", "ascend-910b"), ("4090", "rtx4090"),
        ("RTX PRO 6000 Blackwell Server Edition", "rtxpro6000-server"),
        # output of nvidia-smi and torch.cuda.get_device_name
        ("NVIDIA H100 80GB HBM3", "h100-sxm5"), ("NVIDIA A100-SXM4-80GB", "a100-80-sxm4"), ("NVIDIA H200", "h200-sxm"),
        ("NVIDIA GeForce RTX 4090", "rtx4090"), ("Instinct MI300A (APU)", "mi300a"), ("TPU Trillium", "tpu-v6e"),
         ("Tesla V100-SXM2-32GB", "v100-sxm2"), ("NVIDIA B200", "b200-hgx"),
        ("NVIDIA A100 80GB PCIe", "a100-80-pcie"), ("NVIDIA A100-PCIE-40GB", "a100-40-pcie"), ("Tesla T4", "t4"),
        ("NVIDIA A10", "a10"), ("NVIDIA A40", "a40"), ("NVIDIA GeForce RTX 3090", "rtx3090"), ("NVIDIA H800", "h800-sxm"),
        ("NVIDIA H20", "h20"), ("NVIDIA GB300", "gb300-gpu"), ("Vera Rubin NVL72", "rubin"), ("MI210", "mi210"),
        ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "rtxpro6000-workstation"), ("MI455X", "mi455x"),
        ("trn3", "trn3"), ("TPU 8t", "tpu-8t"), ("910C", "ascend-910c"), ("Grace CPU", "grace"),
        ("Intel Xeon Platinum 8480C", "xeon-8480"),
    ],
)  # fmt: skip
def test_unambiguous_names_are_found(name, expected):
    assert specs.accelerator(name).id == expected


@EACH
def test_every_name_and_id_finds_itself(a):
    for name in (a.name, a.id, f"{a.vendor} {a.name}"):
        for spelling in (name, name.upper(), name.lower(), f"  {name} ", name.replace(" ", "-"), name.replace(" ", "")):
            assert specs.accelerator(spelling) is a


@settings(deadline=None)
@given(st.sampled_from(ALL), st.data())
def test_case_and_punctuation_do_not_matter(a, data):
    marks = data.draw(
        st.lists(st.sampled_from(["", " ", "-", "_", "/", "."]), min_size=len(a.name), max_size=len(a.name))
    )
    cases = data.draw(st.lists(st.booleans(), min_size=len(a.name), max_size=len(a.name)))
    written = "".join(m + (c.upper() if up else c.lower()) for m, c, up in zip(marks, a.name, cases, strict=True))
    assert specs.accelerator(written) is a


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=40) | st.text("hl40bst180 gmi23xtpuva", max_size=12))
def test_any_text_is_found_or_refused(text):
    refusal, device = "", None
    try:
        device = specs.accelerator(text)
    except specs.UnknownAccelerator as error:
        refusal = str(error)
    assert device in ALL or repr(text) in refusal


@every_row(
    ("name", "candidates"),
    [
        ("H100", {"H100 SXM", "H100 PCIe", "H100 64GB"}), ("RTX PRO", {"RTX PRO 6000 Server", "RTX PRO 6000 Workstation"}),
        ("A100", {"A100 SXM 40GB", "A100 SXM 80GB", "A100 PCIe 40GB", "A100 PCIe 80GB"}), ("TPU 8", {"TPU 8t", "TPU 8i"}), ("MI300", {"MI300X", "MI300A"}),
        ("NVIDIA H100 80GB", {"H100 SXM", "H100 PCIe"}), ("GH200", {"GH200 96GB", "GH200 144GB"}),
        ("Gaudi", {"Gaudi 2", "Gaudi 3"}), ("TPU v5", {"TPU v5e", "TPU v5p"}), ("Trainium", {"Trainium1", "Trainium2"}),
    ],
)  # fmt: skip
def test_ambiguous_names_list_their_candidates(name, candidates):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    message = str(error.value)
    assert message.startswith(f"{name!r} fits ")
    listed = set(re.fullmatch(r".* fits (.*); say which", message)[1].split(", "))
    assert candidates <= listed and {other[:4] for other in listed} == {min(candidates)[:4]}  # one family


NEAR = [
    ("H1000 SXM", "H100 SXM"), ("MI300Y", "MI300X"), ("Trilium", "TPU v6e"), ("Iornwood", "TPU7x"),
    # real products outside the catalogue must not match others; skip any that the catalogue gains
    ("L40", "L40S"), ("MI250", "MI250X"), ("H100 NVL", "H100 PCIe"), ("A10G", "A10"), ("A800", "H800"), ("GB300A", "GB300"),
    ("RTX 6000", "RTX PRO 6000 Server"), ("V100 16GB", "V100 SXM2"),
    ("H100 SXM 96GB", "H100 SXM"), ("TPU v6", "TPU v6e"),
]  # fmt: skip


@every_row(("name", "near"), [row for row in NEAR if row[0] not in {a.name for a in ALL}])
def test_unknown_names_list_near_ones(name, near):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    assert str(error.value).startswith(f"no accelerator is called {name!r}; did you mean ")
    assert near in str(error.value)


@pytest.mark.parametrize("name", ["", "   ", "--", "qqqqqq"])
def test_unknown_names_without_match_list_all(name):
    with pytest.raises(specs.UnknownAccelerator) as error:
        specs.accelerator(name)
    assert all(a.name in str(error.value) for a in ALL)


@pytest.mark.parametrize(
    "name", ["sxm" * 2000 + "!x", "h100sxm" * 2000, "nvidia gpu " * 500 + "L40", "\u0130\u00df" * 99]
)
def test_long_nonsense_is_refused_at_once(name):
    with pytest.raises(specs.UnknownAccelerator):
        specs.accelerator(name)


@pytest.mark.parametrize("name", [None, 4090, True, b"B200", ["B200"]])
def test_a_name_is_text(name):
    with pytest.raises(TypeError, match="name must be a string"):
        specs.accelerator(name)


def test_unknown_accelerator_is_lookup_and_value_error():
    assert issubclass(specs.UnknownAccelerator, LookupError) and issubclass(specs.UnknownAccelerator, ValueError)
    assert not str(specs.UnknownAccelerator("plain")).startswith("'")
    assert not issubclass(specs.UnknownAccelerator, KeyError)
