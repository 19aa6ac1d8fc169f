"""Files in large replicated blocks, as in HDFS and GFS, and the memory of their metadata server."""

from __future__ import annotations

from typing import NamedTuple

from .._validate import one_whole, positive

OBJECT_BYTES = 150  # NameNode memory of a file or a block, a common estimate
CHECKSUM_BLOCK, CHECKSUM = 2**16, 4  # bytes


class HdfsFile(NamedTuple):
    """A file in HDFS: its blocks, bytes on all disks, and its objects in the NameNode's memory."""

    blocks: int
    last_block_bytes: int
    stored_bytes: int
    namenode_objects: int
    namenode_bytes: int


class GfsFile(NamedTuple):
    """A file in GFS: its chunks, the checksums of one replica, and bytes on all disks."""

    chunks: int
    checksum_blocks: int
    checksum_bytes: int
    stored_bytes: int


def hdfs_blocks(file_size: int, block_size: int = 2**27, replication: int = 3) -> HdfsFile:
    """Split a file into the blocks of HDFS.

    Parameters
    ----------
    file_size : int
        Size of the file, bytes.
    block_size : int
        Size of a block, bytes; 128 MiB by default.
    replication : int
        Replicas of each block.

    Returns
    -------
    HdfsFile
        ``blocks, last_block_bytes, stored_bytes, namenode_objects, namenode_bytes``: the last
        block is as long as its data; one object for the file and one for each block.

    Notes
    -----
    150 bytes for each object are a rule of thumb. Ignores checksum files on the DataNodes and
    erasure coding. Source: Apache Hadoop, HDFS architecture; T. White, "The small files problem", 2009.

    Examples
    --------
    A million files of 1 MB and the same bytes in files of 1 GB.

    >>> 10**6 * hdfs_blocks(10**6).namenode_bytes, 10**3 * hdfs_blocks(10**9).namenode_bytes
    (300000000, 1350000)
    """
    size, block = one_whole("file_size", file_size, 0), one_whole("block_size", block_size, 1)
    copies = one_whole("replication", replication, 1)
    blocks = -(-size // block)
    last = size - (blocks - 1) * block if blocks else 0
    return HdfsFile(blocks, last, size * copies, 1 + blocks, OBJECT_BYTES * (1 + blocks))


def gfs_chunks(file_size: int, chunk_size: int = 2**26, replication: int = 3) -> GfsFile:
    """Split a file into the chunks of the Google File System.

    Parameters
    ----------
    file_size : int
        Size of the file, bytes.
    chunk_size : int
        Size of a chunk, bytes; 64 MiB in the paper.
    replication : int
        Replicas of each chunk; 3 in the paper.

    Returns
    -------
    GfsFile
        ``chunks, checksum_blocks, checksum_bytes, stored_bytes``: 32 bits for every 64 KiB of
        one replica; the last chunk is as long as its data.

    Notes
    -----
    Ignores the master's 64 bytes for each chunk. Source: S. Ghemawat, H. Gobioff and S. Leung,
    "The Google file system", SOSP 2003, sections 2.5 and 5.2.

    Examples
    --------
    >>> gfs_chunks(10**12)
    GfsFile(chunks=14902, checksum_blocks=15258790, checksum_bytes=61035160, stored_bytes=3000000000000)
    """
    size, chunk = one_whole("file_size", file_size, 0), one_whole("chunk_size", chunk_size, 1)
    copies = one_whole("replication", replication, 1)
    checksum_blocks = -(-size // CHECKSUM_BLOCK)
    return GfsFile(-(-size // chunk), checksum_blocks, CHECKSUM * checksum_blocks, size * copies)


def hdfs_dead_after(heartbeat_seconds: float = 3.0, recheck_seconds: float = 300.0) -> float:
    """Time until the NameNode declares a silent DataNode dead and replicates its blocks again.

    Parameters
    ----------
    heartbeat_seconds, recheck_seconds : float
        Interval of heartbeats, and of the NameNode's checks, seconds.

    Returns
    -------
    float
        Seconds: ``2 * recheck + 10 * heartbeat``.

    Notes
    -----
    Until then reads go to the other replicas. Source: Apache Hadoop, ``hdfs-default.xml``:
    ``dfs.heartbeat.interval`` and ``dfs.namenode.heartbeat.recheck-interval``.

    Examples
    --------
    >>> hdfs_dead_after()
    630.0
    """
    heartbeat = positive("heartbeat_seconds", heartbeat_seconds)
    return 2.0 * positive("recheck_seconds", recheck_seconds) + 10.0 * heartbeat
