"""Words of other tools for commands and options here, so that an error can name the nearest by meaning."""

from __future__ import annotations

from collections.abc import Collection

from .option_types import near

# Words of vLLM, SGLang, Megatron-LM, Slurm, NCCL, CUDA and clouds.
_COMMANDS = {
    "plan": "train training pretrain layout parallelism step step-time megatron",
    "size": "gpus how-many days deadline",
    "memory": "finetune fine-tune fine-tuning lora qlora vram oom fit fits optimizer",
    "serve": "inference infer vllm sglang ttft tpot latency throughput kv kv-cache decode prefill",
    "checkpoint": "save failure failures mtbf goodput young daly",
    "cost": "price rent buy tco dollars energy power carbon co2",
    "mfu": "flops hfu utilization efficiency",
    "allreduce": "nccl collective collectives busbw all-reduce reduce-scatter",
    "network": "topology switch switches fabric bisection fat-tree cables spine leaf rails",
    "kernel": "occupancy cuda registers warps smem hip",
    "measure": "bench benchmark roofline",
    "read": "parse log logs nvidia-smi fio ncu osu ib_write_bw slurm",
    "list": "models chips gpus networks show catalog catalogue search",
    "compare": "diff difference",
}
_OPTIONS = {
    "--chip": "--gpu --device --accelerator --hardware --gpu-type",
    "--chips": "--gpus --num-gpus --ngpus --world-size --devices --n-gpus",
    "--chips-per-node": "--gpus-per-node --ntasks-per-node --nproc-per-node",
    "--chips-per-replica": "--tp --tensor-parallel-size --tp-size --tensor-parallel",
    "--layout": "--tp --pp --dp --cp --ep --pipeline-parallel-size --zero --fsdp",
    "--prompt": "--input-len --input-length --isl --prompt-tokens --random-input-len --context",
    "--output": "--output-len --osl --output-tokens --max-tokens --random-output-len",
    "--users": "--concurrency --max-concurrency --max-num-seqs --batch-size --batch",
    "--rate": "--request-rate --qps --rps",
    "--first-token-within": "--ttft --slo-ttft",
    "--token-within": "--tpot --itl --slo-tpot",
    "--precision": "--dtype --type --bits",
    "--weight-precision": "--quantization --quantize --quant --wbits --load-in-4bit",
    "--cache-precision": "--kv-cache-dtype --kv-dtype",
    "--memory-share": "--gpu-memory-utilization --mem-fraction-static",
    "--sequence": "--seq-len --seq-length --max-model-len --block-size --context-length --cutoff-len",
    "--global-batch": "--global-batch-size --gbs --batch-size --batch",
    "--batch": "--micro-batch-size --mbs --per-device-train-batch-size --batch-size",
    "--rank": "--lora-rank --lora-r --r",
    "--threads": "--block --block-size --blockdim --threads-per-block --workgroup-size",
    "--registers": "--regs --maxrregcount --vgpr --vgprs",
    "--shared": "--smem --lds --dynamic-shared --shared-memory",
    "--static": "--static-shared --static-smem",
    "--bytes": "--size --message-size --buffer --msg-size",
    "--nic": "--nic-bandwidth --ib --network-bandwidth",
    "--nodes": "--num-nodes --nnodes --servers --hosts",
    "--radix": "--ports --switch-ports",
    "--storage": "--filesystem --storage-bandwidth",
    "--node-mtbf": "--mtbf",
    "--deadline": "--days --duration --within",
    "--time": "--hours --days --duration",
    "--tokens": "--train-tokens --num-tokens --dataset-tokens",
    "--model": "--hf-model --model-name --checkpoint",
    "--config": "--config-json --hf-config",
    "--tokens-per-second": "--throughput --tps --tok-s",
    "--price": "--dollars-per-hour --cost-per-hour --hourly",
}


def nearest(word: str, choices: Collection[str]) -> str:
    """Return a suggestion for an error message: the choice of the same meaning, or else of similar letters.

    >>> nearest("--tensor-parallel-size", ["--chips", "--chips-per-replica"])
    ', did you mean --chips-per-replica?'
    >>> nearest("inference", ["serve", "size"]), nearest("sise", ["serve", "size"])
    (', did you mean serve?', ', did you mean size?')
    """
    asked = word.casefold().replace("_", "-")
    for choice, words in (_COMMANDS | _OPTIONS).items():
        if choice in choices and asked in words.replace("_", "-").split():
            return f", did you mean {choice}?"
    return near(word, choices)
