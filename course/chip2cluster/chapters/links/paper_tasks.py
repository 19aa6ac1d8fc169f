"""Tasks on paper about links: encoding, latency and bandwidth, what an interval allows."""

from chip2cluster.exercise.machine_ranges import LINK, LINK_LATENCY
from chip2cluster.exercise.paper_task import Choice, Number, PaperTask, Step

TASKS = (
    PaperTask(
        exercise="links.effective",
        title="What a message gets",
        text="A message of {message_bytes} is sent over a link with a latency of {latency} that then delivers {bandwidth_one_way} in "
        "this direction. How many bytes a second does the message get, counted over its whole time?",
        given={
            "message_bytes": Number("kB", 8, 2000, per=1e3),
            "bandwidth_one_way": Number("GB/s", values=(12.5, 25, 50, 100), per=1e9),
            "latency": Number("µs", 1.2, 12, per=1e-6),
        },
        unit="GB/s",
        per=1e9,
        steps=(
            Step("bytes over bandwidth", 0.3, lambda x: 1e6 * x.message_bytes / x.bandwidth_one_way, "µs"),
            Step("add the latency", 0.3, lambda x: 1e6 * (x.latency + x.message_bytes / x.bandwidth_one_way), "µs"),
            Step(
                "bytes over that time",
                0.4,
                lambda x: x.message_bytes / (x.latency + x.message_bytes / x.bandwidth_one_way) / 1e9,
                "GB/s",
            ),
        ),
    ),
    PaperTask(
        exercise="links.half_size",
        title="The message that gets half the bandwidth",
        text="A port runs at {bandwidth_gbits} and a message over it has a latency of {latency_us}. How long must a message be to get half "
        "of the port's bandwidth over its whole time?",
        given={"latency_us": LINK_LATENCY, "bandwidth_gbits": LINK},
        unit="kB",
        per=1e3,
        steps=(
            Step("Gbit/s to GB/s, over 8", 0.4, lambda x: x.bandwidth_gbits / 8, "GB/s"),
            Step(
                "times the latency: as long on the link as it waits",
                0.6,
                lambda x: x.bandwidth_gbits / 8 * x.latency_us,
                "kB",
            ),
        ),
    ),
    PaperTask(
        exercise="links.pcie",
        title="PCI Express from lanes and encoding",
        text="A PCI Express link has {lanes} lanes, each with {transfers_per_second}, one bit a transfer. Of every {sent_bits} bits sent, {useful_bits} bits are data; further headers are left out. How many bytes of data a second can it carry in one direction?",
        given={
            "transfers_per_second": Number("GT/s", values=(5, 8, 16, 32), per=1e9),
            "lanes": Number("", values=(1, 2, 4, 8, 16), whole=True),
            "useful_bits": Number("", values=(8, 128), whole=True),
            "sent_bits": Number("", values=(10, 130), whole=True),
        },
        unit="GB/s",
        per=1e9,
        plausible=lambda x: (x.useful_bits, x.sent_bits) == ((8, 10) if x.transfers_per_second < 8e9 else (128, 130)),
        steps=(
            Step("bits of all lanes", 0.3, lambda x: x.lanes * x.transfers_per_second / 1e9, "Gbit/s"),
            Step(
                "times the share that is data",
                0.4,
                lambda x: x.lanes * x.transfers_per_second * x.useful_bits / x.sent_bits / 1e9,
                "Gbit/s",
            ),
            Step(
                "bits to bytes, over 8",
                0.3,
                lambda x: x.lanes * x.transfers_per_second * x.useful_bits / x.sent_bits / 8e9,
                "GB/s",
            ),
        ),
    ),
    PaperTask(
        exercise="links.ranges",
        title="What is certain about a link",
        text="A link is known only roughly: its latency lies between {latency_low} and {latency_high}, its bandwidth in one direction between "
        "{bandwidth_low} and {bandwidth_high}, in any combination. A message has {message_bytes}. Give four numbers: the shortest and "
        "the longest time that the message may take, in µs; then the length below which a message certainly waits longer than it "
        "is transferred, and the length above which it certainly is transferred longer than it waits, in kB.",
        given={
            "message_bytes": Number("kB", 60, 2000, per=1e3),
            "latency_low": Number("µs", 1.2, 4, per=1e-6),
            "latency_high": Number("µs", 5, 12, per=1e-6),
            "bandwidth_low": Number("GB/s", 10, 24, per=1e9),
            "bandwidth_high": Number("GB/s", 25, 50, per=1e9),
        },
        inputs=lambda x: {
            "message_bytes": x.message_bytes,
            "latencies": [x.latency_low, x.latency_high],
            "bandwidths": [x.bandwidth_low, x.bandwidth_high],
        },
        judges=True,
        unit="µs, µs, kB, kB",
        per=(1e-6, 1e-6, 1e3, 1e3),
        steps=(
            Step(
                "shortest time: least latency, most bandwidth",
                0.25,
                lambda x: 1e6 * (x.latencies[0] + x.message_bytes / x.bandwidths[1]),
                "µs",
            ),
            Step(
                "longest time: most latency, least bandwidth",
                0.25,
                lambda x: 1e6 * (x.latencies[1] + x.message_bytes / x.bandwidths[0]),
                "µs",
            ),
            Step(
                "lengths: latency times bandwidth, both low, then both high",
                0.5,
                lambda x: [
                    1e6 * (x.latencies[0] + x.message_bytes / x.bandwidths[1]),
                    1e6 * (x.latencies[1] + x.message_bytes / x.bandwidths[0]),
                    x.latencies[0] * x.bandwidths[0] / 1e3,
                    x.latencies[1] * x.bandwidths[1] / 1e3,
                ],
            ),
        ),
    ),
    PaperTask(
        exercise="links.one_way",
        title="One direction, in bytes",
        text="A datasheet prints {printed} for a link and counts {counts}. How many bytes a second go in one direction?",
        given={
            "printed": Number("GB/s", 50, 1800),
            "counts": Choice({"both ways": "both directions together", "one way": "one direction"}),
        },
        inputs=lambda x: {"printed": x.printed, "unit": "GB/s", "counts": x.counts},
        unit="GB/s",
        per=1e9,
        steps=(
            Step(
                "half if both directions are counted",
                1.0,
                lambda x: x.printed / (2 if x.counts == "both ways" else 1),
                "GB/s",
            ),
        ),
    ),
)
