"""Topology matrices as `nvidia-smi topo -m` prints them: real machines, shuffled for each draw."""

from chip2cluster import links

# RAPIDS, UCX-Py documentation: a DGX-1 with eight V100.
DGX_1V = """\
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    GPU6    GPU7    mlx5_0  mlx5_1  mlx5_2  mlx5_3  CPU Affinity
GPU0     X      NV1     NV1     NV2     NV2     SYS     SYS     SYS     PIX     PHB     SYS     SYS     0-19,40-59
GPU1    NV1      X      NV2     NV1     SYS     NV2     SYS     SYS     PIX     PHB     SYS     SYS     0-19,40-59
GPU2    NV1     NV2      X      NV2     SYS     SYS     NV1     SYS     PHB     PIX     SYS     SYS     0-19,40-59
GPU3    NV2     NV1     NV2      X      SYS     SYS     SYS     NV1     PHB     PIX     SYS     SYS     0-19,40-59
GPU4    NV2     SYS     SYS     SYS      X      NV1     NV1     NV2     SYS     SYS     PIX     PHB     20-39,60-79
GPU5    SYS     NV2     SYS     SYS     NV1      X      NV2     NV1     SYS     SYS     PIX     PHB     20-39,60-79
GPU6    SYS     SYS     NV1     SYS     NV1     NV2      X      NV2     SYS     SYS     PHB     PIX     20-39,60-79
GPU7    SYS     SYS     SYS     NV1     NV2     NV1     NV2      X      SYS     SYS     PHB     PIX     20-39,60-79
mlx5_0  PIX     PIX     PHB     PHB     SYS     SYS     SYS     SYS      X      PHB     SYS     SYS
mlx5_1  PHB     PHB     PIX     PIX     SYS     SYS     SYS     SYS     PHB      X      SYS     SYS
mlx5_2  SYS     SYS     SYS     SYS     PIX     PIX     PHB     PHB     SYS     SYS      X      PHB
mlx5_3  SYS     SYS     SYS     SYS     PHB     PHB     PIX     PIX     SYS     SYS     PHB      X
"""

# RAPIDS, UCX-Py issue 616: a node of Summit with six V100.
SUMMIT = """\
        GPU0    GPU1    GPU2    GPU3    GPU4    GPU5    mlx5_0  mlx5_1  mlx5_2  mlx5_3  CPU Affinity
GPU0     X      NV2     NV2     SYS     SYS     SYS     NODE    NODE    SYS     SYS     0-83
GPU1    NV2      X      NV2     SYS     SYS     SYS     NODE    NODE    SYS     SYS     0-83
GPU2    NV2     NV2      X      SYS     SYS     SYS     NODE    NODE    SYS     SYS     0-83
GPU3    SYS     SYS     SYS      X      NV2     NV2     SYS     SYS     NODE    NODE    88-171
GPU4    SYS     SYS     SYS     NV2      X      NV2     SYS     SYS     NODE    NODE    88-171
GPU5    SYS     SYS     SYS     NV2     NV2      X      SYS     SYS     NODE    NODE    88-171
mlx5_0  NODE    NODE    NODE    SYS     SYS     SYS      X      PIX     SYS     SYS
mlx5_1  NODE    NODE    NODE    SYS     SYS     SYS     PIX      X      SYS     SYS
mlx5_2  SYS     SYS     SYS     NODE    NODE    NODE    SYS     SYS      X      PIX
mlx5_3  SYS     SYS     SYS     NODE    NODE    NODE    SYS     SYS     PIX      X
"""

# NCCL issue 1617: four H100, each with a network adapter of its own.
FOUR_H100 = """\
        GPU0    GPU1    GPU2    GPU3    NIC0    NIC1    NIC2    NIC3    CPU Affinity    NUMA Affinity   GPU NUMA ID
GPU0     X      NV6     NV6     NV6     PIX     SYS     SYS     SYS     6,14,22,30      3               N/A
GPU1    NV6      X      NV6     NV6     SYS     PIX     SYS     SYS     4,12,20,28      1               N/A
GPU2    NV6     NV6      X      NV6     SYS     SYS     PIX     SYS     7,15,23,31      7               N/A
GPU3    NV6     NV6     NV6      X      SYS     SYS     SYS     PIX     5,13,21,29      5               N/A
NIC0    PIX     SYS     SYS     SYS      X      SYS     SYS     SYS
NIC1    SYS     PIX     SYS     SYS     SYS      X      SYS     SYS
NIC2    SYS     SYS     PIX     SYS     SYS     SYS      X      SYS
NIC3    SYS     SYS     SYS     PIX     SYS     SYS     SYS      X
"""

# Small enough for the head: it is the one that a student sees first.
SMALL = """\
\tGPU0\tGPU1\tGPU2\tCPU Affinity
GPU0\t X \tNV1\tSYS\t0-9
GPU1\tNV1\t X \tNV2\t0-9
GPU2\tSYS\tNV2\t X \t10-19
"""

LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks
"""

DISTANCES = ("PIX", "PXB", "PHB", "NODE", "SYS")  # from near to far


def read(text):
    """Devices in order, and the label of each ordered pair of them."""
    node = links.node_matrix(text)
    return list(node.devices), node.label


def gpus(text):
    """The GPUs of a matrix, in its order."""
    return [name for name in read(text)[0] if name.startswith("GPU")]


def nvlinks(label):
    """How many NVLinks a label stands for: 2 for "NV2", 0 for a path over PCIe.

    >>> nvlinks("NV12"), nvlinks("SYS")
    (12, 0)
    """
    return int(label[2:]) if label.startswith("NV") else 0


def shuffled(text, generator):
    """The same machine with its GPUs numbered in another order, and tabs as the tool prints them."""
    names, label = read(text)
    mine = gpus(text)
    order = [mine[place] for place in generator.permutation(len(mine))] + names[len(mine) :]
    return printed(names, lambda one, other: label[order[one], order[other]])


def printed(names, label, *, whole=False):
    """Print a matrix; ``label(one, other)`` takes positions in ``names``.

    ``whole`` gives it the last columns of a newer tool, one of which is called GPU, and the legend.
    """
    lines = ["\t".join(["", *names, "CPU Affinity"] + ["NUMA Affinity", "GPU NUMA ID"] * whole)]
    for one, name in enumerate(names):
        cells = [" X " if one == other else label(one, other) for other in range(len(names))]
        lines.append("\t".join([name, *cells] + ["0-31", *["0", "N/A"] * whole] * name.startswith("GPU")))
    return "\n".join(lines) + "\n" + LEGEND * whole
