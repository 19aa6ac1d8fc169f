"""Tools that test networks and disks, and logs of training runs and servers, in the forms that they print."""

import json

import pytest

from chip2cluster import measure, storage

PERFTEST = """---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 4\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 Mtu             : 4096[B]
 Link type       : Ethernet
 local address: LID 0000 QPN 0x0108 PSN 0x63ad7d RKey 0x17eedf VAddr 0x007f760c947000
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 2          5000           5.04               5.03                 2.636533
 65536      664644         0.00               11077.02             0.177232
---------------------------------------------------------------------------------------
"""
LATENCY = """                    RDMA_Write Latency Test
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 2       1000          1.02           5.85         1.05               1.06             0.12            1.20                    5.85
"""


def test_perftest_bandwidth_with_its_settings():
    run = measure.read_perftest(PERFTEST)
    assert (run.test, run.device, run.link_type, run.queue_pairs, run.mtu_bytes) == (
        "RDMA_Write BW",
        "mlx5_0",
        "Ethernet",
        4,
        4096,
    )
    small, large = run.rows
    assert small.peak_bytes_per_second == pytest.approx(5.04 * 2**20)
    # A run by time (-D) measures no peak and prints 0. Messages a second times their bytes are the average.
    assert large.peak_bytes_per_second is None
    assert large.average_bytes_per_second == pytest.approx(0.177232e6 * 65536, rel=1e-4)


CUT_IN_A_NUMBER = {
    "perftest": (measure.read_perftest, PERFTEST[: PERFTEST.rindex("11077") + 4]),
    "latency": (measure.read_perftest, LATENCY[: LATENCY.rindex("1.05") + 3]),
    "OSU": (
        measure.read_osu,
        "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1      4.52\n4194304   245",
    ),
    "ibstat": (measure.read_ibstat, "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 40"),
    "ibstat without a rate": (measure.read_ibstat, "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate:\n"),
    "benchmark": (
        measure.read_serving_benchmark,
        "=== Serving Benchmark Result ===\nSuccessful requests: 100\nBenchmark duration (s): 26.60\n"
        "Request throughput (req/s): 3.76\nOutput token throughput (tok/s): 56",
    ),
    "query": (measure.read_gpu_query, "name, memory.used [MiB], memory.total [MiB]\nTesla T4, 31 MiB, 153"),
    "sinfo": (measure.read_sinfo, "PARTITION AVAIL NODES(A/I/O/T)\nskx-dev* up 69/3/0/7"),
    "mdtest": (
        measure.read_mdtest,
        "   Operation   per Rank: Max   Min   Mean   per Iteration: Max   Min   Mean   Std Dev\n   File creation  8.1  1.7  5.1  16",
    ),
}


@pytest.mark.parametrize("name", CUT_IN_A_NUMBER)
def test_a_number_that_was_cut_is_refused(name):
    read, text = CUT_IN_A_NUMBER[name]
    with pytest.raises(ValueError, match=r"cut|by iteration"):
        read(text)


def test_perftest_warns_between_rows():
    """As old versions do of a CPU that does not run at its highest clock."""
    warning = "Conflicting CPU frequency values detected: 2400.000000 != 1873.463000. CPU Frequency is not max.\n"
    small, large = measure.read_perftest(PERFTEST.replace(" 65536 ", f"{warning} 65536 ")).rows
    assert (small.message_bytes, large.message_bytes) == (2, 65536)
    with pytest.raises(ValueError, match=r"latencies in \[usec\]"):
        measure.read_perftest(LATENCY.replace("[usec]", "[cycles]"))


def test_perftest_latency():
    (row,) = measure.read_perftest(LATENCY).rows
    assert row.typical_seconds == pytest.approx(1.05e-6) and row.average_bytes_per_second is None


def test_osu_bandwidth_is_decimal():
    table = measure.read_osu(
        "# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1      4.52\n4194304   24532.10\n"
    )
    assert table.bytes_per_second == (4.52e6, 24532.10e6) and table.seconds is None and table.version == "7.4"
    with pytest.raises(ValueError, match="holds 2 OSU benchmarks"):
        measure.read_osu("# OSU MPI Bandwidth Test v7.4\n# Size      Bandwidth (MB/s)\n1      4.52\n" * 2)


def test_osu_rates_of_many_pairs():
    """After aws/aws-parallelcluster#7035 on GitHub."""
    text = "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7.1\n# [ pairs: 48 ] [ window size: 64 ]\n"
    table = measure.read_osu(
        text + "# Size                  MB/s        Messages/s\n1                      58.09       58086503.51\n"
    )
    assert table.message_bytes == (1,) and table.bytes_per_second == (58.09e6,)


def test_several_runs_and_hosts_are_refused():
    with pytest.raises(ValueError, match="line 23 .*one table"):
        measure.read_perftest(PERFTEST * 2)
    host = "CA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 400\n"
    with pytest.raises(ValueError, match="port 1 of mlx5_0 twice: pass the output of one host"):
        measure.read_ibstat("".join(f"{name}: {line}\n" for name in ("n1", "n2") for line in host.splitlines()))


def test_ports_by_ibstatus():
    """After SoftRoCE/rxe-dev#52 on GitHub."""
    text = "Infiniband device 'rxe0' port 1 status:\n\tsm lid:\t\t 0x0\n\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n"
    (port,) = measure.read_ibstat(text + "\trate:\t\t 2.5 Gb/sec (1X SDR)\n\tlink_layer:\t Ethernet\n")
    assert tuple(port) == ("rxe0", 1, "Active", "LinkUp", "Ethernet", 2.5e9 / 8)


def test_ports_of_several_adapters():
    port = "\tPort {}:\n\t\tState: {}\n\t\tPhysical state: {}\n\t\tRate: {}\n\t\tLink layer: {}\n"
    text = "CA 'mlx5_0'\n\tNumber of ports: 1\n" + port.format(1, "Active", "LinkUp", 400, "InfiniBand")
    text += "CA 'mlx5_1'\n\tNumber of ports: 1\n" + port.format(1, "Down", "Polling", 10, "InfiniBand")
    first, second = measure.read_ibstat(text)
    assert (first.state, first.bytes_per_second) == ("Active", 50e9)
    assert (second.device, second.physical_state, second.bytes_per_second) == ("mlx5_1", "Polling", 1.25e9)


def test_fio_text_and_json_agree():
    text = """test: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=256
fio-3.28
test: (groupid=0, jobs=16): err= 0: pid=702: Thu Sep 21 14:43:45 2023
  read: IOPS=12.3k, BW=48.0MiB/s (50.4MB/s)(2880MiB/60001msec)
  write: IOPS=2965, BW=11.6MiB/s (12.2MB/s)(3492MiB/300010msec); 0 zone resets
"""
    read, write = measure.read_fio(text)
    assert (read.job, read.direction, read.operations_per_second) == ("test", "read", 12300)
    assert write.bytes_per_second == pytest.approx(write.bytes / write.seconds, rel=0.01)
    assert write.bytes_per_second == pytest.approx(4096 * write.operations_per_second, rel=0.01)
    side = {"iops": 2965.0, "bw_bytes": 12144640, "io_bytes": 3661627392, "runtime": 300010}
    idle = {"iops": 0.0, "bw_bytes": 0, "io_bytes": 0, "runtime": 0}
    report = json.dumps({"fio version": "fio-3.28", "jobs": [{"jobname": "test", "read": idle, "write": side}]})
    (only,) = measure.read_fio(report)
    assert (only.direction, only.operations_per_second) == ("write", write.operations_per_second)
    assert only.bytes == pytest.approx(write.bytes, rel=1e-3) and only.seconds == write.seconds
    with pytest.raises(ValueError, match="ends too early"):
        measure.read_fio(report[:-20])


def test_fio_2_counts_kilobytes_of_1024():
    """After red-hat-storage/ocs-ci#283 on GitHub."""
    text = "fio-rand-write: (groupid=0, jobs=1): err= 0: pid=561: Wed Jun 26 21:34:30 2019\n"
    (write,) = measure.read_fio(text + "  write: io=1040.3MB, bw=106500KB/s, iops=26625, runt= 10002msec\n")
    assert (write.job, write.operations_per_second, write.bytes_per_second) == ("fio-rand-write", 26625, 106500 * 1024)
    assert write.bytes / write.seconds == pytest.approx(write.bytes_per_second, rel=1e-3)
    assert write.bytes_per_second == pytest.approx(4096 * write.operations_per_second)


def test_mdtest_by_rank_and_by_iteration():
    """hpc/ior#336 and hpc/ior#300 on GitHub: the first form has the deviation of iterations, the second that of ranks."""
    columns = "   Operation         per Rank: Max            Min           Mean       per Iteration: Max            Min           Mean         Std Dev\n"
    row = "   Directory creation        8405418.838    1785570.030    5115828.881       16677153.082    3571140.060   10124146.571    9267350.682\n"
    (found,) = measure.read_mdtest(columns + row)
    assert (found.most, found.least, found.mean, found.deviation) == (
        16677153.082,
        3571140.060,
        10124146.571,
        9267350.682,
    )
    with pytest.raises(ValueError, match="by iteration"):
        measure.read_mdtest(columns.replace("         Std Dev\n", "\n") + row)


def test_ior_and_mdtest():
    title = "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\n"
    result = measure.read_ior(
        f"{title}Max Write: 25154.87 MiB/sec (26376.80 MB/sec)\nMax Read:  0.00 MiB/sec (0.00 MB/sec)\n"
    )
    assert result.write_bytes_per_second == pytest.approx(26376.80e6, rel=1e-6) and result.read_bytes_per_second is None
    with pytest.raises(ValueError, match="up to 'Max Write' and 'Max Read'"):
        measure.read_ior(title + "write     25110      2097152    4.00\n")
    row = "   File creation             :      21364.3        20718.9        21041.6          322.7\n"
    assert measure.read_mdtest(row)[0].least == 20718.9
    with pytest.raises(ValueError, match="several summaries"):
        measure.read_mdtest(row * 2)


def test_components_of_a_progressive_file():
    part = "    lcme_extent.e_start: {}\n    lcme_extent.e_end:   {}\n      lmm_stripe_count:  {}\n      lmm_stripe_size:   {}\n"
    text = (
        "/mnt/f\n  lcm_entry_count:  2\n"
        + part.format(0, 4194304, 1, 1048576)
        + part.format(4194304, "EOF", -1, 4194304)
    )
    first, second = storage.read_getstripe(text)
    assert (first.end_bytes, first.stripe_count) == (4194304, 1)
    assert (second.start_bytes, second.end_bytes, second.stripe_count) == (4194304, None, -1)


STEPS = {
    "Megatron-LM": (
        " [2024-04-06 03:02:12] iteration       71/     100 | consumed samples:         9088 | elapsed time per iteration (ms): "
        "5361.6 | throughput per GPU (TFLOP/s/GPU): 243.6 | global batch size:   128 | lm loss: 1.818812E+00 | loss scale: 1.0 |",
        (71, 5.3616, 1.818812, None, 243.6e12, None),
    ),
    "torchtitan": (
        "[rank0]:2025-01-15 10:20:30,123 - root - INFO - step: 10  loss:  7.1234  memory: 47.45GiB(59.92%)  tps: 5,762  "
        "tflops: 299.59  mfu: 30.29%",
        (10, None, 7.1234, 5762.0, 299.59e12, 0.3029),
    ),
    "NeMo": (  # after NVIDIA-BioNeMo/bionemo-recipes#740
        "Training epoch 0, iteration 120/149 | lr: 3e-05 | consumed_samples: 121 | global_batch_size: 1 | global_step: 120 | "
        "reduced_train_loss: 1.233 | train_step_timing in s: 0.03146 | val_loss: 4.106",
        (120, 0.03146, 1.233, None, None, None),
    ),
    "nanotron": (  # after huggingface/nanotron#23
        "01/17/2024 13:47:27 [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: 991 / 1000 | consumed_tokens: 634K | "
        "elapsed_time_per_iteration_ms: 45 | tokens_per_sec: 14.2K | tokens_per_sec_per_gpu: 1.78K | lm_loss: 10.6 | "
        "model_tflops_per_gpu: 0.00869 | hardware_tflops_per_gpu: 0.00869",
        (991, 0.045, 10.6, 1780.0, 0.00869e12, None),
    ),
    "nanoGPT": ("iter 1632: loss 3.7441, time 563.15ms, mfu 31.18%", (1632, 0.56315, 3.7441, None, None, 0.3118)),
    "MaxText": (
        "completed step: 7, seconds: 4.208, TFLOP/s/device: 187.6, Tokens/s/device: 3893.6, total_weights: 131072, loss: 9.81",
        (7, 4.208, 9.81, 3893.6, 187.6e12, None),
    ),
}


@pytest.mark.parametrize("program", STEPS)
def test_steps_of_training_programs(program):
    line, step = STEPS[program]
    log = measure.read_training_log(f"starting\n{line}\n{line}\n")
    assert log.program == program and len(log.steps) == 2
    assert tuple(log.steps[0]) == pytest.approx(step)


def test_forks_of_megatron_name_their_flops_otherwise():
    """GPT-NeoX after deepspeedai/DeepSpeed#3742; Megatron-DeepSpeed by its own format."""
    neox = (
        " samples/sec: 7.799 | iteration       34/   10000 | elapsed time per iteration (ms): 4103.1 | "
        "approx flops per GPU: 112.9TFLOPS | lm_loss: 1.118665E+01 | number of skipped iterations:   0 |\n"
    )
    deepspeed = " iteration 3/ 9 | elapsed time per iteration (ms): 800.0 | lm loss: 2.5 | samples per second: 5.0 | TFLOPs: 45.61 |\n"
    first, second = measure.read_training_log(neox + deepspeed).steps
    assert (first.flop_per_second, first.loss, second.flop_per_second) == (112.9e12, 11.18665, 45.61e12)


def test_logs_of_two_programs_are_refused():
    with pytest.raises(ValueError, match="mixes logs of"):
        measure.read_training_log(f"{STEPS['nanoGPT'][0]}\n{STEPS['MaxText'][0]}\n")
    with pytest.raises(
        ValueError, match="lines of a step of NeMo, Megatron-LM, torchtitan, nanotron, nanoGPT, MaxText"
    ):
        measure.read_training_log("epoch 1 done\n")


def test_serving_logs_of_both_servers():
    vllm = measure.read_serving_log(
        "INFO 09-25 [gpu_worker.py:298] Available KV cache memory: 43.70 GiB\n"
        "INFO 09-25 [kv_cache_utils.py:1287] GPU KV cache size: 367,404 tokens\n"
        "INFO 09-25 [kv_cache_utils.py:1291] Maximum concurrency for 40,960 tokens per request: 8.97x\n"
        "INFO 09-25 [loggers.py:118] Engine 000: Avg prompt throughput: 300.1 tokens/s, Avg generation throughput: 2110.4 "
        "tokens/s, Running: 64 reqs, Waiting: 3 reqs, GPU KV cache usage: 41.5%, Prefix cache hit rate: 12.0%\n"
    )
    assert (vllm.program, vllm.cache_tokens, vllm.most_concurrent) == ("vLLM", 367404, 8.97)
    assert vllm.cache_bytes == pytest.approx(43.70 * 2**30)
    assert (vllm.running, vllm.waiting, vllm.cache_usage) == ((64,), (3,), (0.415,))
    sglang = measure.read_serving_log(
        "[2025-06-01 10:00:00 TP0] max_total_num_tokens=975424, chunked_prefill_size=8192\n"
        "[2025-06-01 10:00:09 TP0] Decode batch. #running-req: 12, #token: 4096, token usage: 0.42, cuda graph: True, "
        "gen throughput (token/s): 1234.56, #queue-req: 2\n"
    )
    assert (sglang.program, sglang.cache_tokens) == ("SGLang", 975424)
    assert (sglang.running, sglang.waiting, sglang.cache_usage, sglang.generated_per_second) == (
        (12,),
        (2,),
        (0.42,),
        (1234.56,),
    )
    with pytest.raises(ValueError, match="the log of one vLLM or SGLang server"):
        measure.read_serving_log("hello\n")


def test_serving_logs_of_early_vllm():
    """After vllm-project/vllm#12569 and vllm-project/vllm#14447 on GitHub."""
    first = measure.read_serving_log(
        "INFO 01-30 03:18:12 gpu_model_runner.py:848] Loading model weights took 67.7229 GB\n"
        "INFO 01-30 03:19:14 kv_cache_utils.py:395] # GPU blocks: 1381\n"
    )
    assert (first.cache_tokens, first.weight_bytes) == (16 * 1381, pytest.approx(67.7229 * 2**30))
    worker = measure.read_serving_log(
        "(VllmWorkerProcess pid=507) INFO 04-12 08:21:19 [worker.py:267] model weights take 21.21GiB; non_torch_memory takes "
        "0.20GiB; the rest of the memory reserved for KV Cache is 1.57GiB.\n"
    )
    assert (worker.weight_bytes, worker.cache_bytes) == pytest.approx((21.21 * 2**30, 1.57 * 2**30))


def test_a_cut_benchmark_table_is_refused():
    table = """============ Serving Benchmark Result ============
Successful requests:                     1000
Benchmark duration (s):                  19.48
Request throughput (req/s):              51.34
Output token throughput (tok/s):         6567.28
Total Token throughput (tok/s):          17615.90
---------------Time to First Token----------------
Mean TTFT (ms):                          4212.85
P99 TTFT (ms):                           12671.61
-----Time per Output Token (excl. 1st token)------
Median TPOT (ms):                        21.75
"""
    result = measure.read_serving_benchmark(table)
    assert result.requests / result.seconds == pytest.approx(result.requests_per_second, rel=1e-3)
    assert result.ttft_seconds == pytest.approx({"mean": 4.21285, "p99": 12.67161}) and result.itl_seconds == {}
    assert result.total_tokens_per_second == 17615.90
    with pytest.raises(ValueError, match="a line of request throughput; was the table cut off"):
        measure.read_serving_benchmark("\n".join(table.splitlines()[:3]))
    with pytest.raises(ValueError, match="one such table"):
        measure.read_serving_benchmark(table * 2)
