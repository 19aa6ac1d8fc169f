"""Exercise on the bandwidth between the GPUs of two switch boards."""

from chip2cluster import links, topology
from chip2cluster.exercise.model import Exercise, Group, Mistake

from ..mutants import MUTANTS


def crossing(gpus_per_board, links_per_gpu, link_both_ways):
    """Bytes/s from one board of a DGX-2-like machine to the other, one way."""
    trunks = gpus_per_board * links_per_gpu
    return trunks * link_both_ways / 2


def _boards(generator):
    # A case that can be done in the head comes first: it is the one that a student sees.
    rows = [(2, 3, 10e9), (8, 6, 50e9)]
    rows += [
        (int(g), int(n), float(b))
        for g, n, b in zip(
            1 + 2 * generator.integers(1, 7, 4),
            generator.choice([4, 9, 14, 18], 4),
            (40e9, 50e9, 100e9, 50e9),
            strict=True,
        )
    ]
    return [dict(zip(("gpus_per_board", "links_per_gpu", "link_both_ways"), row, strict=True)) for row in rows]


def _meaning():
    trunks = crossing(8, 6, links.nvlink(2, links=1).bandwidth_both_ways)
    one = links.nvlink(2).bandwidth_one_way
    return (
        f"In a DGX-2 this is at most {trunks / 1e12:.1f} TB/s, exactly what the eight GPUs of a board can send together "
        f"({one / 1e9:.0f} GB/s each): no GPU waits for the trunks."
    )


CROSSING = Exercise(
    id="links.crossing",
    title="Between two boards of switches",
    signature="crossing(gpus_per_board, links_per_gpu, link_both_ways)",
    unit="bytes/s",
    points=3,
    reference=crossing,
    shows=(crossing, topology.nvswitch_node),
    groups=(Group("boards", 1.0, _boards),),
    hints=(
        "Draw the line between the boards. Which links does it cut: those of the GPUs, or the trunks?",
        "How many switches has a board, when each link of a GPU goes to another one? How many trunks has each?",
        "links_per_gpu switches with gpus_per_board trunks each; one way is half of link_both_ways.",
    ),
    solution="""
def crossing(gpus_per_board, links_per_gpu, link_both_ways):
    switches = links_per_gpu
    trunks = switches * gpus_per_board
    return trunks * link_both_ways / 2
""",
    explanation=(
        "Six switches with eight trunks each make 48 links, at 25 GB/s one way: 1.2 TB/s. That is the sum of what the eight "
        "GPUs of a board can send, so no pair of boards waits for the trunks. The 2.4 TB/s on the datasheet count both ways."
    ),
    meaning=_meaning,
    mistakes=(
        Mistake(
            "both ways",
            lambda gpus_per_board, links_per_gpu, link_both_ways: gpus_per_board * links_per_gpu * link_both_ways,
            "You counted both directions, as the vendor does. One way is half of it.",
        ),
        Mistake(
            "one pair of switches",
            lambda gpus_per_board, links_per_gpu, link_both_ways: gpus_per_board * link_both_ways / 2,
            "You counted the trunks of one pair of switches. A board has a switch for each link of a GPU.",
        ),
        Mistake(
            "one trunk a switch",
            lambda gpus_per_board, links_per_gpu, link_both_ways: links_per_gpu * link_both_ways / 2,
            "You counted one trunk for each switch: that is what one GPU can send. Each switch has a trunk for every GPU.",
        ),
        *(
            Mistake(
                f"eight GPUs, whatever the board has{', both ways' * (ways == 2)}",
                lambda gpus_per_board, links_per_gpu, link_both_ways, ways=ways: (
                    8 * links_per_gpu * link_both_ways * ways / 2
                ),
                "Your answer does not change with gpus_per_board. A switch has as many trunks as its board has GPUs; eight is "
                f"the DGX-2.{' And one direction is half of link_both_ways.' * (ways == 2)}",
            )
            for ways in (1, 2)
        ),
        Mistake(
            "GPUs of both boards",
            lambda gpus_per_board, links_per_gpu, link_both_ways: 2 * gpus_per_board * links_per_gpu * link_both_ways,
            "You counted the links of both boards, and both directions. The line between the boards cuts the trunks alone.",
        ),
        Mistake(
            "halved twice",
            lambda gpus_per_board, links_per_gpu, link_both_ways: gpus_per_board * links_per_gpu * link_both_ways / 4,
            "That is half of it. One way is half of link_both_ways, and that is the only half: every GPU of the board has its "
            "trunks, and all of them cross the line.",
        ),
        Mistake(
            "ports of every switch",
            lambda gpus_per_board, links_per_gpu, link_both_ways: (
                (2 * gpus_per_board + 2) * links_per_gpu * link_both_ways / 2
            ),
            "You added all ports of the switches. Only the trunks to the other board cross the line.",
        ),
        Mistake(
            "one trunk a switch, both ways",
            lambda gpus_per_board, links_per_gpu, link_both_ways: links_per_gpu * link_both_ways,
            "Two mistakes: each switch has a trunk for every GPU, and one direction is half of link_both_ways.",
        ),
    ),
    mutants=MUTANTS["links.crossing"],
)
