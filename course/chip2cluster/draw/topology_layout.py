"""Where the nodes of a network stand in its picture, in pixels."""

STEP = 30  # between neighbours


def places(network, side):
    """Coordinates of all nodes, y downwards; ``side`` is one half of them."""
    return {node: (STEP * x, STEP * y) for node, (x, y) in network.positions(side).items()}


def around(network, a, b):
    """Whether a link is drawn as two stubs, for it closes a ring around a grid."""
    return network.link_path(a, b) == "around"
