"""Where the nodes of a network stand in its picture, in pixels."""

from math import cos, hypot, pi, sin

STEP, TIER = 30, 96  # distance of neighbours, of tiers


def places(network, side):
    """Coordinates of all nodes, by the kind of network; ``side`` is one half of them."""
    graph = network.graph
    dims = network.parameters.get("dims") or (2,) * network.parameters.get("d", 0)
    if network.terminals == len(graph) and sum(k > 1 for k in dims) > 1:
        return _grid(network, dims)
    if network.family == "path":
        return {node: (2 * STEP * i, 0) for i, node in enumerate(graph)}
    if network.family == "dragonfly":
        return _groups(network)
    if network.name == "DGX-1V":
        return _two_squares(graph)
    if network.terminals < len(graph):
        return _tiers(network) or _hub(network)
    if network.family == "graph":  # no order of its own: half by half
        return _circle(sorted(graph, key=lambda node: node not in side), len(graph) * 6)
    return _circle(list(graph))


def around(network, a, b):
    """Whether a link closes a ring of a grid of two dimensions or more."""
    if network.family not in ("torus", "TPU pod") or not isinstance(a, tuple):
        return False
    return max(abs(x - y) for x, y in zip(a, b)) > 1 and sum(k > 1 for k in network.parameters["dims"]) > 1


def _grid(network, dims):
    """The longest dimension right, then down, along a diagonal, and whole panels right and down."""
    graph = network.graph
    order = sorted(range(len(dims)), key=lambda i: -dims[i])
    right, down, deep = ([dims[i] for i in order] + [1, 1, 1])[:3]
    space = 34 * deep + 26 if deep > 1 else 78 if network.family == "hyperx" else 56
    steps = [(space, 0), (0, space), (34, -24)]
    across, below = right * space + 34 * deep, down * space + 24 * deep
    for i, dimension in enumerate(order[3:]):
        steps.append((0, below) if i % 2 else (across, 0))
        if i % 2:
            below *= dims[dimension]
        else:
            across *= dims[dimension]

    def at(node):
        return tuple(sum(node[i] * step[axis] for i, step in zip(order, steps)) for axis in (0, 1))

    return {node: at(node) for node in graph}


def _circle(nodes, least=75.0, centre=(0.0, 0.0)):
    radius = max(least, len(nodes) * STEP * 1.2 / (2 * pi)) if len(nodes) > 1 else 0.0
    turn = 2 * pi / max(len(nodes), 1)
    return {
        node: (centre[0] + radius * sin((i + 0.5) * turn), centre[1] - radius * cos((i + 0.5) * turn))
        for i, node in enumerate(nodes)
    }


def _two_squares(graph):
    """A hybrid cube mesh: two squares with their diagonals, corner linked to corner."""
    corners = [(0, 0), (170, 0), (0, 170), (170, 170)]
    return {
        node: (x + (360 if node[1] > 3 else 0), y + (60 if node[1] > 3 else 0))
        for node, (x, y) in zip(sorted(graph), corners + corners)
    }


def _groups(network):
    """A small circle of routers for each group; with hosts one large circle, the hosts outside."""
    a, g, p = (network.parameters[key] for key in "agp")
    spots = {}
    if p:
        slots, step = g * (a + 1), max(1.4, 0.9 * p) * STEP
        radius = max(90.0, slots * step / (2 * pi))
        for group in range(g):
            for router in range(a):
                angle = 2 * pi * (group * (a + 1) + router) / slots
                spots[group, router] = (radius * sin(angle), -radius * cos(angle))
                for host in range(p):
                    turn, far = angle + (host - (p - 1) / 2) * 0.85 * STEP / radius, radius + 1.6 * STEP
                    spots["host", group, router, host] = (far * sin(turn), -far * cos(turn))
        return spots
    small = max(30.0, a * STEP * 1.2 / (2 * pi))
    large = 0.0 if g == 1 else (small + STEP) / sin(pi / g)
    for group in range(g):
        angle = 2 * pi * (group + 0.5) / g
        spots |= _circle([(group, r) for r in range(a)], small, (large * sin(angle), -large * cos(angle)))
    return spots


def _tiers(network):
    """Hosts in a row, each tier of switches above the one it serves; None if a tier is linked within."""
    import networkx as nx

    graph = network.graph
    far = nx.multi_source_dijkstra_path_length(graph, set(network.terminal_nodes), weight=lambda *_: 1)
    tier = {node: far.get(node, 1) for node in graph}
    for node in graph:
        if isinstance(node, tuple) and node[0] == "nvswitch":
            tier[node] = -1
    if network.name == "DGX-2":  # two boards face each other
        rows = {("gpu", 0): 3, ("switch", 0): 2, ("switch", 1): 1, ("gpu", 1): 0}
        tier = {node: rows[node[0], node[1] // 8 if node[0] == "gpu" else node[1]] for node in graph}
    elif any(tier[a] == tier[b] for a, b in graph.edges):
        return None
    rows = {level: [node for node in graph if tier[node] == level] for level in set(tier.values())}
    width = max(len(row) for row in rows.values()) * STEP
    height = max(TIER, width / 4.5)
    return {
        node: ((i + 0.5) * width / len(row), -level * height)
        for level, row in rows.items()
        for i, node in enumerate(row)
    }


def _hub(network):
    """Switches in a circle, hosts of a single link around them; everybody in one circle otherwise."""
    graph, hosts = network.graph, network.terminal_nodes
    if any(graph.degree(host) != 1 for host in hosts):
        return _circle(list(graph))
    switches = [node for node in graph if not graph.nodes[node]["terminal"]]
    outer = [host for switch in switches for host in graph[switch] if graph.nodes[host]["terminal"]]
    outside = _circle(outer, 150.0)
    radius = max(hypot(x, y) for x, y in outside.values())
    return _circle(switches, radius - 2.2 * STEP) | outside
