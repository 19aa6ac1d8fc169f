"""SWF logs, generated workloads, and GPU cluster statistics."""

import statistics
from pathlib import Path

import numpy as np
import pytest

import chip2cluster
from chip2cluster import scheduling
from chip2cluster.scheduling import generate, read_swf, trace

DATA = Path(chip2cluster.__file__).parent / "data"
LINE = "1 10 5 100 8 -1 -1 4 3600 -1 1 3 -1 -1 -1 -1 -1 -1"


def test_trace_keeps_its_copyright_notice():
    log = trace("SDSC SP2 sample")
    assert (len(log.jobs), log.nodes, dict(log.left_out)) == (1000, 128, {})
    said = log.header["Copyright"].replace("\n", " ")
    assert "The Regents of the University of California" in said
    assert "provided that this copyright notice is preserved" in said
    notice = (DATA / "sdsc_sp2_sample-notice.txt").read_text(encoding="utf-8")
    assert "Copyright 2000 The Regents" in notice
    licenses = (Path(__file__).parents[2] / "docs/licenses.md").read_text(encoding="utf-8")
    assert "sdsc_sp2_sample.swf" in licenses


def test_trace_walltimes_are_three_times_the_runtimes():
    assert np.median([job.walltime / job.runtime for job in trace().jobs]) == pytest.approx(2.9, abs=0.05)


def test_read_swf_one_line():
    job = read_swf(f"; MaxNodes: 64\n{LINE}\n").jobs[0]
    assert (job.id, job.submit, job.nodes, job.walltime, job.runtime, job.user) == (1, 10, 8, 3600, 100, "user 3")
    assert read_swf(LINE, shift=True).jobs[0].submit == 0 and read_swf(LINE).nodes is None


def test_read_swf_unknown_fields():
    """Without a requested time the run time is used; a late kill keeps its run time; jobs without a run are left out."""
    log = read_swf(
        "1 0 0 50 4 -1 -1 -1 -1 -1 1 1 1 1 1 1 -1 -1\n"
        "2 0 0 50 4 -1 -1 4 40 -1 1 1 1 1 1 1 -1 -1\n"
        "3 0 0 -1 4 -1 -1 4 40 -1 5 1 1 1 1 1 -1 -1\n"
        "4 0 0 9 -1 -1 -1 -1 40 -1 5 1 1 1 1 1 -1 -1\n"
    )
    assert [(job.walltime, job.runtime) for job in log.jobs] == [(50, 50), (50, 50)]
    assert log.left_out == {3: "run time -1", 4: "no processors"}


@pytest.mark.parametrize(
    "text, message",
    [
        (f"{LINE}\n1 2 3\n", "line 2 must have 18 numbers, got 3"),
        (LINE.replace("100", "ten"), "line 1 must have only finite numbers"),
        (LINE.replace("100", "nan"), "line 1 must have only finite numbers"),
        ("; MaxProcs: 4\n", "at least one job that ran"),
    ],
)
def test_read_swf_errors(text, message):
    with pytest.raises(ValueError, match=message):
        read_swf(text)


def test_log_argument_errors():
    with pytest.raises(TypeError, match="text must be the content"):
        read_swf(b"1")
    with pytest.raises(TypeError, match="shift must be"):
        read_swf(LINE, shift=1)
    with pytest.raises(ValueError, match="name must be one of 'SDSC SP2 sample'"):
        trace("KTH")


# --- generated streams --------------------------------------------------------------------------------------------------
def test_generate_has_requested_load():
    jobs = generate(2000, 64, 0.6, seed=3)
    assert sum(job.node_seconds for job in jobs) / 64 / jobs[-1].submit == pytest.approx(0.6)
    assert all(job.runtime <= job.walltime and job.nodes <= 32 for job in jobs)
    assert jobs == generate(2000, 64, 0.6, seed=3) != generate(2000, 64, 0.6, seed=4)
    assert scheduling.simulate(generate(20, 1, 0.5, seed=0), 1, "easy").nodes == 1


@pytest.mark.parametrize(
    "wrong", [{"jobs": 0}, {"nodes": 0}, {"utilization": 0}, {"median_runtime": -1}, {"users": 0}], ids=str
)
def test_generate_errors(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        generate(**{"jobs": 10, "nodes": 4, "seed": 0} | wrong)


# --- five clusters, summed up ---------------------------------------------------------------------------------------
def test_gpu_clusters_shares_match_seconds():
    for cluster in scheduling.gpu_clusters()[:4]:
        assert tuple(round(share, 3) for share in cluster.shares) == cluster.printed_shares
        assert cluster.cpu_jobs + cluster.gpu_jobs == cluster.jobs
    pai = scheduling.gpu_clusters()[4]
    assert pai.jobs - pai.gpu_jobs - pai.cpu_jobs == 223_835 and pai.printed_shares is None
    with pytest.raises(ValueError, match="GPU time of PAI is not known"):
        pai.gpu_seconds  # noqa: B018
    assert "CC BY 4.0" in scheduling.gpu_clusters_source().citation


def test_gpu_clusters_have_long_tails():
    """In each cluster the mean is at least ten times the median, and large jobs run longer."""
    for cluster in scheduling.gpu_clusters():
        assert cluster.mean_runtime > 9.9 * cluster.median_runtime and 2.1 < cluster.runtime_sigma < 2.7
        assert cluster.squared_cv == pytest.approx((cluster.mean_runtime / cluster.median_runtime) ** 2 - 1)
        assert cluster.printed_shares is None or cluster.longer_if_larger > 1.7
    assert min(cluster.shares[0] for cluster in scheduling.gpu_clusters()[:4]) == pytest.approx(0.212, abs=1e-3)


def test_generate_matches_gpu_cluster_sigma():
    kalos = scheduling.gpu_clusters()[1]
    stream = scheduling.generate(
        20_000, 64, 0.5, seed=3, median_runtime=kalos.median_runtime, sigma=kalos.runtime_sigma
    )
    times = [job.runtime for job in stream]
    assert statistics.median(times) == pytest.approx(kalos.median_runtime, rel=0.05)
    assert statistics.mean(times) == pytest.approx(
        kalos.mean_runtime, rel=0.1
    )  # the limit of two days truncates little
    alike = scheduling.generate(100, 64, 0.5, seed=3, sigma=0)
    assert {job.runtime for job in alike} == {1800.0}
    with pytest.raises(ValueError, match="sigma must be zero or more"):
        scheduling.generate(1, 1, seed=1, sigma=-1)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        scheduling.generate(1, 1, seed=-1)
