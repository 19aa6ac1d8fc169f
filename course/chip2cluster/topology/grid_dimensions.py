"""One dimension of a grid: a path, a ring or a clique of nodes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Factor:
    """One dimension of a grid: its size, its kind, and the links of each edge with their bandwidth."""

    size: int
    kind: str  # "path", "ring" or "clique"; two nodes have a single link in each kind
    links: int = 1
    bandwidth: float = 1.0

    @property
    def capacity(self) -> float:
        """Unidirectional bandwidth of an edge, bytes/s."""
        return self.links * self.bandwidth

    @property
    def middle(self) -> int:
        """Number of edges that the middle cut severs."""
        return {"path": 1, "ring": 2, "clique": self.size * self.size // 4}[self.kind]

    @property
    def load(self) -> float:
        """Load of the busiest edge when every pair of nodes exchanges one unit."""
        square = self.size * self.size // 4
        return {"path": square, "ring": square / 2, "clique": 1}[self.kind]

    @property
    def degree(self) -> int:
        """Number of edges of the worst-connected node."""
        return {"path": 1, "ring": 2, "clique": self.size - 1}[self.kind]

    @property
    def distances(self) -> tuple[int, int]:
        """Sum of the distances of all ordered pairs, and the largest distance."""
        k = self.size
        return {
            "path": (k * (k * k - 1) // 3, k - 1),
            "ring": (k * (k * k // 4), k // 2),
            "clique": (k * (k - 1), 1),
        }[self.kind]

    def edges(self) -> list[tuple[int, int]]:
        """Return the pairs of linked nodes."""
        k = self.size
        if self.kind == "clique":
            return [(i, j) for i in range(k) for j in range(i + 1, k)]
        return [(i, i + 1) for i in range(k - 1)] + ([(0, k - 1)] if self.kind == "ring" else [])


def factor(kind: str, size: int, links: int = 1, bandwidth: float = 1.0) -> Factor:
    """Build a factor; a ring or clique of two nodes is one link, not two."""
    return Factor(size, "path" if size <= 2 else kind, links, bandwidth)
