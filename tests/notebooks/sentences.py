"""Where each number of an explorer's sentence stands in its table.

Every number of a sentence is read back and held against a cell of the table, a control or, where the
sentence goes beyond both, the model. A number that no rule below covers is a fault of the sentence or
of this list.
"""

import math
import re

from chip2cluster import collectives, explore, occupancy, roofline, specs, systolic, topology
from chip2cluster.chapters.bisection.explorers.bisection import network
from chip2cluster.chapters.collectives.explorers.collectives import LINKS, spelled
from chip2cluster.explore.compare_roof import CACHE, MEASURED

NUMBER = r"([\d.,]*\d)"
AMOUNT = r"(≥ )?([\d.,]*\d [kMGTPEmµn]?(?:B/s|FLOP|B|s)\b|\d+ bytes?\b)"


def column(view, start, row=None):
    """The cell of the marked row, or of another, in the column whose heading begins so."""
    row = view.table[view.current.table.marked or 0 if row is None else row]
    return next(value for heading, value in row.items() if heading.startswith(start))


def row_of(view, name):
    return next(at for at, row in enumerate(view.table) if name in row.values())


def machine(view):
    yield rf"^{AMOUNT} lives? in", view.values["message"]
    yield rf"One pass, each byte once, takes {AMOUNT}", column(view, "time")
    yield rf"could do (?:at least )?{AMOUNT} meanwhile", column(view, "work")
    known = [row for row in view.table if row["time"] is not None]
    if known:
        yield rf"it takes {AMOUNT},", known[-1]["time"]
        yield rf"{NUMBER} times as long", known[-1]["time"] / (column(view, "time") or math.inf)


def accelerators(view):
    chip = view.values["chip"]
    row = row_of(view, chip)
    yield rf"{re.escape(chip)} \({NUMBER}\)", column(view, "year", row)
    yield rf"peak of {NUMBER} T(?:FL)?OP/s", column(view, "peak", row)
    yield rf"and {NUMBER} TB/s:", column(view, "memory", row)
    yield rf": {NUMBER} (?:FL)?OP for each byte", column(view, "ratio", row)
    yield rf"With {NUMBER} W", column(view, "TDP", row)
    yield rf"that is {NUMBER} T(?:FL)?OP for each joule", column(view, "for each joule", row)
    yield rf"number {NUMBER} of", column(view, "place", row)
    # The table is short unless all are asked for; the picture says how many dots it has.
    yield rf"of {NUMBER} by|None of the {NUMBER}", int(re.search(r"(\d+) chips", view.alt)[1])
    lead = "for each joule" if view.values["across"] == "power" else "peak"
    yield rf"leads with {NUMBER}", column(view, lead, 0)


def roofs(view):
    values, first = view.values, view.table[0]
    yield rf"At batch {NUMBER} the", values["batch"]
    yield rf"layer reaches {NUMBER} %", first["of peak (%)"]
    yield rf"takes less than {NUMBER} µs|take longer than {NUMBER} µs", 1e6 * values["floor"]
    for device, start, part in ((values["device"], "%", "^At"), (values["compare"], "it reaches", "On the")):
        if device in ("none", MEASURED, CACHE):
            continue
        chip = specs.accelerator(device)
        peak = chip.peak_flops_dense(values["precision"])
        yield rf"{start} of the {re.escape(device)}'s {NUMBER} T|{start} [\d.]+ % of {NUMBER} T", peak / 1e12
        size = values["element_bytes"]
        size = specs.bytes_of(values["precision"]) if isinstance(size, str) else size
        threshold = roofline.batch_threshold(values["width"], 4 * values["width"], peak, chip.memory_bandwidth, size)
        if threshold < math.inf:
            yield rf"{part} .*?(?:since|bound at) {NUMBER} token", int(threshold)
    if values["compare"] == MEASURED:
        sheet, found = (
            specs.accelerator(values["device"]),
            roofline.measured_roofs(values["device"], values["precision"]),
        )
        peak = sheet.peak_flops_dense(values["precision"])
        yield rf"a product of {NUMBER} T", found.peak_flops / 1e12
        yield rf", {NUMBER} % of the sheet", 100 * found.peak_flops / peak
        yield rf"triad at {NUMBER} % of", 100 * found.memory_bandwidth / sheet.memory_bandwidth
    elif values["compare"] == CACHE:
        at = row_of(view, "attention, prefill")
        yield rf"prefill does {NUMBER} ", column(view, "per L2", at)
        yield rf"at most {NUMBER} T", column(view, "L2 allows", at)
        yield rf"block of {NUMBER} queries", 128
        limit = 128 * column(view, "L2 allows", at) / column(view, "per L2", at)
        yield (
            rf"gets past {NUMBER} T",
            min(specs.accelerator(values["device"]).peak_flops_dense(values["precision"]) / 1e12, limit),
        )
    elif values["compare"] != "none":
        yield rf"it reaches {NUMBER} % of", first["of its peak (%)"]
    yield rf"decode stays at {NUMBER} ", column(view, "intensity", row_of(view, "attention, decode"))


def merged(view):
    apart, fused = view.table[-2:]
    yield rf"Fused, {AMOUNT} of", 1e6 * (apart["moved (MB)"] - fused["moved (MB)"])
    yield rf" of {AMOUNT} no longer", 1e6 * apart["moved (MB)"]
    yield rf"track from {NUMBER} to", apart["intensity (FLOP/byte)"]
    yield rf"to {NUMBER} FLOP/byte", fused["intensity (FLOP/byte)"]
    yield rf"falls from {AMOUNT} to", 1e-6 * apart["at least (µs)"]
    yield rf"falls from [\d.,]+ \S+ to {AMOUNT}:", 1e-6 * fused["at least (µs)"]
    yield rf": {NUMBER} times as fast", apart["at least (µs)"] / fused["at least (µs)"]


def sizes_beside_tiles(view):
    array, gpu = view.table
    yield rf"^For {NUMBER} rows", view.values["rows"]
    for name, row in (("array", array), ("GPU", gpu)):
        yield rf"the {name} computes {NUMBER} ×", row["it computes rows"]
        yield rf"the {name} computes [\d,]+ × {NUMBER} weights", row["and columns"]
        yield rf"the {name} computes [\d,]+ × [\d,]+ weights, {NUMBER} % of", row["useful (%)"]
    yield rf"multiples of {NUMBER} bytes", 16


def blocks(view):
    values = view.values
    holds = min(row["so it holds (blocks)"] for row in view.table if row["so it holds (blocks)"] != "any number")
    warps = values["threads"] // 32
    has = column(view, "the SM has", row_of(view, "warp slots"))
    yield rf"block of {NUMBER} threads does not", values["threads"]
    yield rf"^{NUMBER} blocks? liv", holds
    yield rf": {NUMBER} of \d+ warps", holds * warps
    yield rf"\d of {NUMBER} warps", has
    yield rf"occupancy {NUMBER} %", 100 * holds * warps / has
    yield rf"block of {NUMBER} warps? would", warps
    yield rf"warps at {NUMBER} KiB of shared", values["shared"]
    fits = [
        count
        for count in range(1, values["registers"])
        if occupancy.occupancy(
            values["capability"], values["threads"], count, 1024 * values["shared"], barriers=0
        ).active_blocks
        > holds
    ]
    yield rf"from {NUMBER} registers", max(fits, default=None)


def schedules(view):
    yours, values = view.table[0], view.values
    instructions = values["loads"] * (1 + values["compute"])
    yield rf"run {NUMBER} warps? issue", yours["warps"]
    yield rf"in {NUMBER} % of the cycles", yours["issues (% of cycles)"]
    yield rf"takes {NUMBER} cycles", values["latency"] + instructions - 1
    yield rf"has {NUMBER} instructions?\.", instructions
    yield rf"and {NUMBER} would be", view.table[-1]["warps"]
    yield rf"average {NUMBER} loads", yours["total loads in flight (on average)"]


def staircases(view):
    yours = view.table[0]
    slots = specs.accelerator(view.values["chip"]).compute_units * view.values["each"]
    yield rf"^{NUMBER} blocks in", view.values["blocks"]
    yield rf"in {NUMBER} slots", slots
    yield rf"take {NUMBER} waves?", yours["waves"]
    yield rf"holds {NUMBER} of", yours["in the last wave (blocks)"]
    yield rf"holds [\d,]+ of {NUMBER}:", slots
    yield rf": {NUMBER} % of the slots", yours["slots at work (%)"]
    yield rf"average. {NUMBER} more block", slots - yours["in the last wave (blocks)"]


def under_way(view):
    few, full = view.table[0], view.table[-1]
    found = occupancy.curve(view.values["gpu"], view.values["kernel"])
    yield rf"law at {NUMBER} ns", view.values["latency"]
    yield rf"gives {NUMBER} times", few["law over measured"]
    yield rf"with {NUMBER} % of the places", few["occupancy (%)"]
    yield rf"and {NUMBER} times with all", full["law over measured"]
    yield rf"taken for {NUMBER} ns there", few.get("a place was taken for (ns)")
    yield rf"there and {NUMBER} ns here", full.get("a place was taken for (ns)")
    yield rf"reaches {NUMBER} % of", 100 * found.bandwidth[-1] / found.sheet_bandwidth
    yield rf"sheet's {NUMBER} GB/s", found.sheet_bandwidth / 1e9


def arrays(view):
    so_far, whole = view.table
    rows, (depth, width), side = view.values["rows_of_a"], view.values["weights"], view.values["side"]
    sizes = rows, width, depth, side, side, view.values["dataflow"]
    yield rf"In cycle {NUMBER} of", so_far["cycles"]
    yield rf" of {NUMBER}, \d+ of", whole["cycles"]
    before = explore.systolic(**{**view.values, "cycle": max(0, view.values["cycle"] - 1)}).table[0]
    yield (
        rf", {NUMBER} of \d+ cells do",
        (so_far["useful multiply-accumulates"] - before["useful multiply-accumulates"] if so_far["cycles"] else 0),
    )
    yield rf"of {NUMBER} cells do", whole["cell cycles"] / whole["cycles"]
    yield rf"does {NUMBER} useful", whole["useful multiply-accumulates"]
    yield rf"in {NUMBER} cycles", whole["cycles"]
    yield rf"cycles of {NUMBER} cells", whole["cell cycles"] / whole["cycles"]
    yield rf"cells: {NUMBER} %", whole["utilization (%)"]
    yield rf"takes {NUMBER} tiles?", systolic.tiles(*sizes)
    yield rf"(?:below|approach) {NUMBER} %", 100 * systolic.padded_utilization(*sizes)


def wires(view):
    yield rf" {AMOUNT} gets", view.values["message"]
    yield rf"gets {NUMBER} ", column(view, "effective")
    yield rf"of {NUMBER} GB/s:", column(view, "at most")
    yield rf"GB/s: {NUMBER} % of the time", 100 * column(view, "latency") / column(view, "time")
    yield rf"message of {AMOUNT}", 1e3 * column(view, "half at")
    if view.values["protocol"] == "side by side":
        for row, start in ((0, "LL is the fastest"), (1, "LL128")):
            one, other = view.table[row], view.table[row + 1]
            waits = [item["latency (µs)"] * 1e-6 for item in (one, other)]
            yield (
                rf"{start} up to {AMOUNT}",
                (waits[1] - waits[0]) / (1e-9 / one["at most (GB/s)"] - 1e-9 / other["at most (GB/s)"]),
            )
        yield r"LL(128)\b", 128


def queues(view):
    values = view.values
    headroom = (values["senders"] - 1) * 50e9 * values["trip"] * 1e-6 / 1e3
    yield rf"^{NUMBER} kB are lost", column(view, "lost")
    yield rf"reaches {NUMBER} of", column(view, "longest")
    yield rf"of {NUMBER} kB and", 1500
    yield rf"busy {NUMBER} %", column(view, "port busy")
    yield rf"grows by {NUMBER} kB", headroom
    yield rf"once in {NUMBER} µs", values["trip"]
    yield rf"credits, and {NUMBER} kB", 50 * values["trip"]


def steps(view):
    senders = sum(row["sends now"] != "–" for row in view.table)
    yield rf"tep {NUMBER} of", view.values["step"]
    yield rf"of {NUMBER}:|of {NUMBER} steps", max(view.controls[2].choices(view.values))
    yield rf"all {NUMBER} ranks|of {NUMBER} ranks", len(view.table)
    yield rf"{NUMBER} of \d+ ranks", senders
    yield rf", {NUMBER} sends? nothing", len(view.table) - senders
    sent = [row["sent so far (× vector)"] for row in view.table]
    yield rf"has sent {NUMBER} times a vector", max(sent)
    if view.values["step"]:
        earlier = explore.ring(**{**view.values, "step": view.values["step"] - 1}).table
        sizes = [now - row["sent so far (× vector)"] for now, row in zip(sent, earlier, strict=True)]
        yield rf"sends? (?:up to )?{NUMBER} of a vector", max(sizes)
    # The picture's title counts the chunks too; it is drawn from the cells, not from the sentence.
    done, wanted = re.search(r"(\d+) of (\d+) chunks", view.current.picture.title).groups()
    yield rf"{NUMBER} of \d+ chunks", int(done)
    yield rf"of {NUMBER} chunks", int(wanted)


def algorithms(view):
    first, last = view.table[0], view.table[-1]
    yield rf"For {AMOUNT} ", view.values["message"]
    yield rf"fastest: {AMOUNT}", 1e-6 * first["time (µs)"]
    yield rf"takes {NUMBER} times as long", last["time (µs)"] / first["time (µs)"]
    names = {spelled(name): name for name in collectives.algorithms(view.values["collective"])}
    link = view.values["ranks"], LINKS[view.values["link"]], 1e-6 * view.values["latency"]
    for below, above in re.findall(r"Below [\d.]+ \w+ (.+?) beats (.+?), above", view.current.sentence):
        size = collectives.crossover_size(view.values["collective"], names[below], names[above], *link)
        yield rf"Below {AMOUNT} {re.escape(below)} beats {re.escape(above)}", size


def halves(view):
    longest = max(row["all-to-all (ms)"] for row in view.table)
    if view.values["cut"]:
        own = view.table[-1]
        yield rf"has {NUMBER} of \d+ \w+s to its left", view.values["cut"]
        terminals = network(*(view.values[name] for name in ("topology", "size", "oversubscription")), 1e9).terminals
        yield rf"has \d+ of {NUMBER} \w+s to its left", terminals
        yield rf"crosses {NUMBER} links?", own["links"]
        yield rf"links?: {NUMBER} ms", own["all-to-all (ms)"]
    last = next(row for row in view.table if row["cut"] == "between the halves")
    yield rf"cuts {NUMBER} links?", last["links"]
    yield rf": {AMOUNT} one way", 1e9 * last["one way (GB/s)"]
    yield rf", {AMOUNT} if you count both", 1e9 * last["both ways (GB/s)"]
    yield rf"all-to-all of {NUMBER} GB", view.values["message"]
    yield rf"at least {NUMBER} ms", longest
    values = view.values
    net = network(values["topology"], values["size"], values["oversubscription"], 1e9 * values["link"])
    yield rf"That is {NUMBER} % of", 100 * topology.full_bisection_share(net)


def throws(view):
    yield rf"{NUMBER} flows? on \d+ uplinks", view.values["flows"]
    yield rf"on {NUMBER} uplinks", view.values["uplinks"]
    yield rf"puts? {NUMBER} flows on the fullest", column(view, "fullest")
    yield rf"after {NUMBER} ms on average", column(view, "last flow")
    yield rf"evenly: {NUMBER} ms", column(view, "last flow")
    yield rf"(?:ms|out): {NUMBER} % of the bandwidth", column(view, "bandwidth")
    chance = 100 * column(view, "probability")
    yield rf"can be: {NUMBER} % of all throws", chance
    yield rf"can be: below {NUMBER} % of all throws", 0.01 if chance < 0.01 else None


def lines(view):
    yield rf", buffers of {NUMBER} GB", view.values["message"]
    yield rf"at least {NUMBER} ms", column(view, "time")
    yield rf"carries {NUMBER} times", column(view, "busiest")
    yield rf"The cuts allow {NUMBER} ms", column(view, "cuts")
    yield rf"reach {NUMBER} % of", column(view, "reached")


def losses(view):
    parts = {row["part"]: row for row in view.table}
    spent, useful = sum(row["time (s)"] for row in view.table), view.table[0]
    yield rf"would take {AMOUNT} at the peak", useful["time (s)"]
    yield rf"the step takes {AMOUNT}:", spent
    yield rf"MFU {NUMBER} %", useful["share (%)"]
    yield rf"HFU {NUMBER} %", parts["recomputation"]["up to here (%)"]
    # The paper charges three times the forward pass of the scores.
    yield rf"\({NUMBER} % by a second rule", useful["share (%)"] + 3 * parts["recomputation"]["share (%)"]
    # What is done twice is useful to the hardware, and no loss.
    lost = {name: row["share (%)"] for name, row in parts.items() if name not in ("model arithmetic", "recomputation")}
    yield rf"largest loss is {max(lost, key=lost.get)}: {NUMBER} %", max(lost.values())
    # Korthikanti et al. 2022: eight replicas, sequences of 2,048 tokens, eight devices a stage.
    speed = 8 * 2048 * view.values["micro_batches"] / spent
    yield rf"At {NUMBER} tokens/s", speed
    yield rf"tokens/s, {NUMBER} billion", 300
    yield rf"take {NUMBER} days", 300e9 / speed / 86400
    yield rf"on {NUMBER} devices", 8 * 8 * view.values["stages"]


def exchanges(view):
    least = column(view, "hidden from (tokens)")
    yield rf"With {NUMBER} tokens a chip", view.values["tokens"]
    yield rf"computes for {AMOUNT} ", column(view, "arithmetic")
    yield rf"exchanges for {AMOUNT},", column(view, "exchange")
    yield rf", {AMOUNT} of it stand", column(view, "stands out")
    yield rf"arithmetic runs {NUMBER} % of", column(view, "busy")
    yield rf"hides from {NUMBER} tokens on", least
    yield rf"datasheet rate from {NUMBER};", column(view, "at datasheet rate")
    yield rf"for {NUMBER} chips", view.values["chips"]
    yield rf"batch of {NUMBER} tokens", least * view.values["chips"]
    yield rf"batch of {NUMBER} million tokens", least * view.values["chips"] / 1e6


RULES = {
    explore.Machine: machine,
    explore.Accelerators: accelerators,
    explore.Roofline: roofs,
    explore.Fusion: merged,
    explore.Cliffs: sizes_beside_tiles,
    explore.Occupancy: blocks,
    explore.Warps: schedules,
    explore.Waves: staircases,
    explore.Concurrency: under_way,
    explore.Systolic: arrays,
    explore.Links: wires,
    explore.FlowControl: queues,
    explore.Ring: steps,
    explore.Collectives: algorithms,
    explore.Bisection: halves,
    explore.Flows: throws,
    explore.Traffic: lines,
    explore.Utilization: losses,
    explore.Exchange: exchanges,
}


# Where a second control makes a sentence longer: a rival, an axis, a clock that runs.
BESIDE = {
    explore.Machine: {"axis": "time"},
    explore.Accelerators: {"across": "power"},
    explore.Roofline: {"compare": "B200", "batch": 64},
    explore.Fusion: {"chain": "two products"},
    explore.Cliffs: {"columns": "as many as k"},
    explore.Occupancy: {"shared": 48},
    explore.Warps: {"compute": 0},
    explore.Waves: {"each": 2},
    explore.Concurrency: {"kernel": "store"},
    explore.Systolic: {"weights": (5, 4)},
    explore.Links: {"protocol": "side by side", "bandwidth": 2},
    explore.FlowControl: {"senders": 16},
    explore.Ring: {"step": 1},
    explore.Collectives: {"adding": True},
    explore.Bisection: {"link": 100},
    explore.Flows: {"uplinks": 64},
    explore.Traffic: {"network": "torus 8 × 8"},
    explore.Utilization: {"recompute": "full"},
    explore.Exchange: {"stage": 3},
}
