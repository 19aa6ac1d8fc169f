"""``python -m course.slurm [NODES] [POLICY]``: a Slurm to play with, until you leave the shell that opens."""

import argparse
import os
import subprocess
import sys

from .cluster import POLICIES, Cluster, missing


def main() -> None:
    """Start a cluster, open a shell in which its commands work, and stop it when the shell ends."""
    parser = argparse.ArgumentParser(prog="python -m course.slurm", description=__doc__)
    parser.add_argument("nodes", nargs="?", type=int, default=4, help="virtual nodes, 4 if not given")
    parser.add_argument(
        "policy", nargs="?", choices=POLICIES, default="conservative", help="Slurm's own is conservative"
    )
    given = parser.parse_args()
    if reason := missing():
        sys.exit(reason)
    with Cluster(given.nodes, given.policy) as cluster:
        print(cluster.run("sinfo"), end="")
        print(f"Slurm runs in {cluster.root}. Try: sbatch -N 2 -t 1 --wrap 'sleep 30'; squeue. Leave with exit.")
        subprocess.run([os.environ.get("SHELL", "/bin/bash")], env=cluster.environment)


if __name__ == "__main__":
    main()
