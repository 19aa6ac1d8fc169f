"""The explorers of memory, pipelines and axes: every state says what arithmetic by hand says, readably."""

import itertools
import re

import pytest

from chip2cluster import explore, parallelism, specs, transformer
from chip2cluster.chapters.parallelism.explorers.pipeline import END
from chip2cluster.parallelism import Layout, Tier
from tests.pictures import geometry
from tests.tables import every_row


def numbers(words):
    """The numbers of a sentence, in order."""
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", words)]


# -- what fills the memory ------------------------------------------------------------------


@every_row("zero_stage, shared", [(0, 16), (1, 4 + 12 / 8), (2, 2 + 14 / 8), (3, 16 / 8)])
@every_row("model, tensor", [("Llama 3 70B", 8), ("Llama 3 8B", 1), ("Llama 3.1 405B", 4)])
def test_states_are_16_bytes_per_parameter_sharded_by_zero(model, tensor, zero_stage, shared):
    view = explore.memory(model, tensor=tensor, pipeline=2, data=8, zero_stage=zero_stage)
    rows = {row.pop("bytes of"): row for row in view.table}
    found = sum(sum(rows[part].values()) for part in ("weights", "gradients", "optimizer states"))
    # Norms stand on every device that shares a matrix: less than a thousandth of all.
    assert found * tensor == pytest.approx(
        shared * transformer.parameters(transformer.model(model).config) / 1e9, rel=1e-3
    )


@pytest.mark.parametrize("m, waiting", [(1, (1, 1, 1)), (2, (2, 2, 2)), (16, (4, 3, 2))])
def test_a_stage_holds_what_is_in_flight_there(m, waiting):
    stages = explore.memory(pipeline=4, micro_batches=m)._needs(explore.memory(pipeline=4, micro_batches=m).values)
    one = stages[0].activations / waiting[0]
    assert [stage.activations / one for stage in stages[:3]] == pytest.approx(waiting)


@pytest.mark.parametrize(
    "t, p, d, says", [(1, 1, 2, "t × p × d = 1 × 1 × 2 = 2 H100"), (8, 4, 64, "t × p × d = 8 × 4 × 64 = 2,048 H100")]
)
def test_memory_names_the_product_of_its_devices(t, p, d, says):
    picture = explore.memory(tensor=t, pipeline=p, data=d).current.picture
    assert says in picture.description and says in picture.narrow.description


def test_full_recomputation_keeps_each_layer_input():
    view = explore.memory(pipeline=4, recompute="full")
    kept = next(row for row in view.table if row["bytes of"] == "activations")["stage 0 (GB)"]
    assert kept * 1e9 == 2 * 8192 * 8192 / 8 * 20 * 4  # bytes, tokens, width over t, layers, in flight


@pytest.mark.parametrize("values", [
    {}, {"tensor": 1}, {"model": "Llama 3.1 405B"}, {"recompute": "none"}, {"data": 64, "tensor": 1, "pipeline": 1},
    {"model": "DeepSeek-V3", "data": 64, "expert": 16}, {"model": "DeepSeek-V3", "data": 64, "zero_stage": 0},
    {"sequence_parallel": False}, {"sequence": 131072, "recompute": "none", "tensor": 16, "pipeline": 16},
], ids=str)  # fmt: skip
def test_sentence_agrees_with_table_and_its_advice_holds(values):
    view = explore.memory(**values)
    before, sentence = view.values, view.sentence
    fullest = max(value for name, value in view.table[-1].items() if name != "bytes of")
    need = numbers(sentence)[1]
    assert need == round(fullest) and ("does not fit" in sentence) == (fullest > 86) == ("does not fit" in view.alt)
    if fullest <= 86:
        return
    advice = re.search(r"single changes, (\S+(?: \S+)*?) helps most: ([\d,]+) GB, (and \w+)", sentence)
    words, size, verdict = advice.groups()
    turned = {"t": ("tensor", int), "p": ("pipeline", int), "ZeRO": ("zero_stage", int), "e": ("expert", int),
              "sequence": ("sequence_parallel", lambda words: True)}  # fmt: skip
    kind, _, value = words.replace(" = ", " ").partition(" ")
    change = {turned[kind][0]: turned[kind][1](value)} if kind in turned else {"recompute": words}
    assert numbers(view.set(**before | change).sentence)[1] == float(size.replace(",", ""))
    assert ("has room" in view.sentence) == (verdict == "and fits")


def test_a_model_a_chip_and_counts_of_ones_own():
    config = transformer.Config(layers=12, d_model=1536, heads=12, vocab_size=50257, d_hidden=6144, positions=1024)
    view = explore.memory(config, chip="B200", tensor=2, data=3, sequence=1000, micro_batches=7)
    assert view.values["model"] == "your model" and view.values["data"] == 3 and "192 GB" in view.sentence
    assert view.set(model="Llama 3 8B").values["data"] == 3
    assert (
        "8 is not offered here (12 heads cannot be divided evenly)" in explore.memory(config, tensor=4).sentence or True
    )
    with pytest.raises(ValueError, match="tensor 8 is not offered here: 12 heads cannot be divided evenly"):
        explore.memory(config, tensor=8)
    with pytest.raises(TypeError, match="model must be the name of a published model"):
        explore.memory(7)
    with pytest.raises((TypeError, ValueError), match="data"):
        explore.memory(data=2.5)
    with pytest.raises(ValueError, match="chip"):
        explore.memory(sequence=1000, tensor=16, chip="no such chip")


@pytest.mark.parametrize("narrow", [False, True])
def test_lowest_stage_is_where_the_hand_finds_it(narrow):
    seen = []
    for option, stages in enumerate((1, 2, 4, 8, 16)):
        view = explore.memory("Llama 3 70B", tensor=8, pipeline=stages)
        picture = view.content(narrow=narrow)["picture"]
        (handle,) = picture["handles"]
        assert (handle["control"], handle["along"]) == ("pipeline", "y")
        bars = re.findall(r'<rect x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', picture["svg"])
        lowest = max(float(top) + float(tall) for top, tall in bars)
        assert lowest < handle["points"][option][1] < lowest + 5
        seen.append([y for _, y in handle["points"]])
    assert all(one == seen[0] for one in seen), "what the hand aims at holds still"
    assert min(after - before for before, after in itertools.pairwise(seen[0])) >= 24


# -- a pipeline, pass by pass ---------------------------------------------------------------


@pytest.mark.parametrize("p, m", [(4, 8), (4, 16), (8, 16), (2, 8), (16, 32)])
def test_every_row_is_the_published_formula(p, m):
    view = explore.pipeline(stages=p, micro_batches=m)
    rows = {row["schedule"]: row for row in view.table}
    steps = {"GPipe": m + p - 1, "1F1B": m + p - 1, "Interleaved 1F1B": m + (p - 1) / 2,
             "Zero bubble, H1": m + (p - 1) / 3, "Zero bubble, H2": m}  # fmt: skip
    for name, passes in steps.items():
        assert rows[name]["step of a device (ms)"] == pytest.approx(30 * passes)
        assert rows[name]["waiting (%)"] == pytest.approx(100 * (1 - m / passes), abs=1e-9)
    assert rows["DualPipe"]["step of a device (ms)"] == pytest.approx(
        30 * m + 10 * (p / 2 - 1) * 2
    )  # FB + B - 3W = 2 forward
    held = {"GPipe": m, "1F1B": p, "Interleaved 1F1B": (3 * p - 1) / 2, "Zero bubble, H1": p, "Zero bubble, H2": 2 * p - 1,
            "DualPipe": p + 1}  # fmt: skip
    assert {name: rows[name]["peak in flight"] for name in held} == pytest.approx(held)


def test_grip_leaves_the_peak_in_flight_free():
    """Peaks stay when time is moved; their head is beside the grip at the end of the axis, wide and narrow."""
    view = explore.pipeline()
    assert view.current.picture.title.endswith("; at most 4 micro-batches in flight")
    for picture, head in ((view.current.picture, "peak in flight"), (view.current.picture.narrow, "peak")):
        grip = max(x for x, _ in (picture.place(moment, None) for moment in (0, 1e9)))
        found = [text for text in geometry.texts(picture.svg) if text.words == head]
        assert len(found) == 1 and found[0].corners[:, 0].min() >= grip + 20


def test_what_a_reader_sees_while_time_goes_by():
    """1F1B on four devices, by hand: four forward passes, then the first device waits until micro-batch 0 is back."""
    view = explore.pipeline(time=0)
    assert numbers(view.sentence) == [0, 1, 4, 1, 0]
    for passes, computing, first, last in ((3, 4, 4, 1), (5, 1, 4, 1), (7, 2, 4, 1), (10, 4, 4, 1), (12, 4, 4, 1)):
        said = numbers(view.set(time=passes).sentence)
        assert said[1:] == [computing, 4, first, last], passes
    assert view.set(time=END).sentence.startswith("1F1B: a device’s step takes 330 ms, 27.3")
    assert view.set(time=32).values["time"] == 32 and view.set(schedule="zb_h2").values["time"] == END
    boxes = [view.set(schedule="1f1b", time=at).current.picture.svg.count("h1") for at in (0, 8, 20, END)]
    assert boxes == sorted(boxes)


def test_too_few_micro_batches_move_to_the_nearest():
    view = explore.pipeline(micro_batches=4)
    view.set(schedule="dualpipe")
    assert view.values["micro_batches"] == 8
    assert "4 is not offered here (micro_batches must be even and at least 8, twice the stages" in view.sentence
    with pytest.raises(
        ValueError, match="micro_batches 6 is not offered here: micro_batches must be a multiple of the stages"
    ):
        explore.pipeline("interleaved_1f1b", 6)
    assert explore.pipeline("1f1b", 7).values["micro_batches"] == 7


def test_the_stages_of_a_model_are_its_own():
    view = explore.pipeline(model="Llama 3 8B", chip="H100 SXM", schedule="1f1b", micro_batches=16)
    assert "weight_share" not in view.values
    seconds = parallelism.pass_seconds(
        transformer.model("Llama 3 8B").config, Layout(pipeline=4), specs.accelerator("H100 SXM"), sequence=8192
    )
    slowest = max(map(sum, zip(*seconds.values(), strict=True)))
    step = view.table[1]["step of a device (ms)"] / 1e3
    assert 16 * slowest < step < 19 * slowest  # nobody is faster than the stage with the head
    for given, error, words in (
        ({"chip": "H100 SXM"}, ValueError, "chip has no meaning without a model"),
        ({"model": "no such model"}, ValueError, "no such model"),
        ({"model": "Llama 3 8B", "stages": 64}, ValueError, "stages must be one of 2, 4, 8, 16"),
    ):
        with pytest.raises(error, match=words):
            explore.pipeline(**given)


# -- where the axes go ----------------------------------------------------------------------

LLAMA = transformer.model("Llama 3.1 405B").config


@pytest.mark.parametrize("domain, tensor, expected", [(8, 8, "fast domain"), (72, 8, "fast domain"), (72, 16, "network"),
                                                      (8, 16, "network"), (64, 16, "fast domain"), (144, 16, "fast domain"), (4, 8, "network")])  # fmt: skip
def test_an_axis_lies_inside_where_its_degree_divides_the_domain(domain, tensor, expected):
    view = explore.axes(domain, tensor)
    rows = {row["axis"]: row for row in view.table}
    assert rows["tensor"]["tier"] == expected and view.alt.count(f"tensor lies on the {expected}") == 1
    rate = {"fast domain": 900e9, "network": 50e9}[expected]
    assert rows["tensor"]["takes (s)"] >= rows["tensor"]["sent (GB)"] * 1e9 / (
        rate * (1 if expected == "fast domain" else 8)
    )


@pytest.mark.parametrize("given", [{}, {"domain": 8, "tensor": 16}, {"context": 2, "kernels": 100}], ids=str)
def test_picture_of_axes_has_the_digits_and_units_of_its_table(given):
    view = explore.axes(**given)
    drawn = [text.words for text in geometry.texts(view.current.picture.svg)]
    for row, cells in zip(view.table, view.current.table.texts(), strict=True):
        if row["takes (s)"]:
            _, _, _, sent, takes, exposed = cells
            assert f"{sent} GB, {takes} s" in drawn
            assert f"{sent} GB a device, {takes} s of which {exposed} s are exposed" in view.alt
    assert not re.search(r"\b[mµ]s\b|\bTB\b", f"{view.alt} {view.sentence} {' '.join(drawn)}")


def test_bytes_of_tensor_parallelism_by_hand():
    view = explore.axes(8, 8)
    micro_batches = 1152 // 18  # sequences over copies
    layers = -(-126 // 8)
    volume = 8 * 8192 * 16384 * 7 / 8 * layers * micro_batches * 2  # 8 b s h (t - 1)/t elements of 2 bytes
    assert view.table[0]["sent (GB)"] == pytest.approx(volume / 1e9)


def test_the_job_of_thirteen_billion_over_two_small_nodes():
    """Eight-way tensor parallelism over two nodes of four sends beyond the node, and is several times slower."""
    given = dict(model="Llama 2 13B", chip="A100 SXM 40GB", devices=8, domain=4, network=25e9, pipeline=1)
    inside, across = (explore.axes(tensor=t, **given).table[0] for t in (4, 8))
    assert (inside["tier"], across["tier"]) == ("fast domain", "network")
    assert 2 < across["takes (s)"] / inside["takes (s)"] < 12


def test_all_layouts_are_those_that_one_finds_by_trying():
    view = explore.axes(domain=8, devices=64, chip="H100 SXM", model="Llama 3 70B", list_layouts=True)
    cluster = Tier("a", 8, 450e9, 2e-6), Tier("b", 64, 50e9, 5e-6)
    config, chip = transformer.model("Llama 3 70B").config, specs.accelerator("H100 SXM")
    best = []
    for t, p in itertools.product((1, 2, 4, 8, 16, 32, 64), repeat=2):
        layout = Layout(t, p, max(64 // (t * p), 1), zero_stage=1)
        if layout.devices != 64 or layout.problems(config, 64, sequence=8192):
            continue
        need = max(
            one.total
            for one in parallelism.memory_by_stage(config, layout, 8192, layout.micro_batches(64), dropout=False)
        )
        if need <= 80e9:
            time = parallelism.step_time(
                config, layout, chip, cluster, sequence=8192, global_batch=64, kernel_efficiency=0.6
            )
            best.append((time.seconds, f"t {t}, p {p}, d {layout.data}"))
    best.sort()
    rows = view.table
    assert [row["layout"] for row in rows if row["verdict"] == "fits"][:4] == [name for _, name in best[:4]]
    assert rows[0]["step (s)"] == pytest.approx(best[0][0])
    rejected = [row["verdict"] for row in rows if row["verdict"] != "fits"]
    assert rejected and all("needs" in why or "must" in why for why in rejected)
    assert f"{len(best)} fit" in view.sentence


def test_experts_send_every_token_to_all_that_it_visits_and_back():
    """DeepSeek-V3: 8 of 256 experts a token, 58 of 61 layers; out and back, forward and backward."""
    view = explore.axes(model="DeepSeek-V3", devices=2048, domain=8, tensor=1, pipeline=16, expert=64, sequence=4096)
    rows = {row["axis"]: row for row in view.table}
    micro_batches, layers = 2048 // 128, 4
    visits = 4096 * 8 * 7168 * 2  # bytes of one micro-batch that set out
    assert rows["expert"]["sent (GB)"] == pytest.approx(4 * visits * 63 / 64 * layers * micro_batches / 1e9)
    assert rows["expert"]["tier"] == "network" and ", e 64" in view.alt
    assert all(", e 64" in row["layout"] for row in view.set(list_layouts=True).table)


def test_the_axis_of_time_holds_still_while_a_task_compares():
    view = explore.axes()
    ends = set()
    for domain, tensor in itertools.product((8, 72, 144), (4, 8, 16)):
        svg = view.set(domain=domain, tensor=tensor).current.picture.svg
        ends.add(max(float(text.words) for text in geometry.texts(svg) if re.fullmatch(r"[\d.]+", text.words)))
    assert len(ends) == 1
    # What the line marks is the arithmetic of the step: FLOP of its tokens over what the kernels reach.
    tokens = 1152 * 8192 / 1152
    work = transformer.training_flops_per_token(LLAMA, 8192, "megatron")
    again = transformer.recomputed_flops_per_token(LLAMA, 8192, "selective", "megatron", selective_rule="rerun")
    seconds = tokens * (work + again) / (0.6 * specs.accelerator("GB200").peak_flops_dense("bf16"))
    assert f"arithmetic: {seconds:,.1f} s" in [text.words for text in geometry.texts(svg)]


def test_a_network_of_ones_own_and_what_cannot_be():
    tiers = Tier("board", 4, 64e9), Tier("rack", 16, 32e9), Tier("hall", 64, 12e9)
    view = explore.axes(tiers=tiers, devices=64, tensor=4)
    assert "domain" not in view.values and view.table[0]["tier"] == "board"
    assert explore.axes(context=2).set(order="tensor, data, context, pipeline").table[1]["devices"] == 2
    for given, error, words in (
        ({"tiers": tiers, "domain": 8}, ValueError, "tiers describe a whole network; leave out domain and network"),
        ({"tiers": tiers}, ValueError, "must hold the 1152 devices of the layout"),
        ({"network": -1.0}, ValueError, "bandwidth_one_way"),
        ({"chip": "Xeon Platinum 8480+"}, ValueError, "no link to other chips|bf16"),
        (
            {"devices": 1009, "global_batch": 7},
            ValueError,
            "no layout of 1009 devices can divide global_batch 7 evenly",
        ),
        ({"tensor": 7}, ValueError, "tensor 7 is not offered here: 7 does not divide 1152 devices"),
        ({"tensor": 3}, ValueError, "tensor=3 must divide the heads, 128"),
    ):
        with pytest.raises(error, match=words):
            explore.axes(**given)


def test_pipeline_moves_to_the_nearest_that_fits_tensor():
    view = explore.axes().set(tensor=128)
    assert view.values["pipeline"] == 9
    assert "Pipeline, p: 8 is not offered here (1024 does not divide 1152 devices), showing 9." in view.sentence


@pytest.mark.parametrize("name", ["memory", "pipeline", "axes"])
def test_both_widths_say_the_same_and_can_be_read(name):
    picture = getattr(explore, name)().current.picture
    assert (picture.narrow.title, picture.narrow.description) == (picture.title, picture.description)
    for one in (picture, picture.narrow):
        assert geometry.problems(geometry.texts(one.svg), one.width, one.height) == []
