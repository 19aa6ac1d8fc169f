"""Words of other tools for commands and options here, so that an error can name the nearest by meaning."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

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
    "--prompt": "--max-model-len --input-len --input-length --isl --prompt-tokens --random-input-len --context",
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
    "--threads": "--blocksize --block --block-size --blockdim --threads-per-block --workgroup-size",
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
    "--shape": "--parameters --params --num-layers --hidden-size",
    "--config": "--config-json --hf-config",
    "--tokens-per-second": "--throughput --tps --tok-s",
    "--wiring": "--topology --fabric --network",
    "--price": "--dollars-per-hour --cost-per-hour --hourly",
}

# Values of options, and fields of --layout.
_VALUES = {
    "full": "full-finetune full-finetuning sft full-parameter",
    "rail": "rail-optimized rail-optimised rails",
    "rack": "tor top-of-rack",
    "models": "model llms",
    "chips": "gpus gpu accelerators accelerator cards",
    "networks": "links link fabrics interconnects nics",
    "tensor": "tp tensor-parallel tensor-model-parallel-size",
    "pipeline": "pp pipeline-parallel pipeline-model-parallel-size",
    "data": "dp fsdp data-parallel",
    "context": "cp sp-ulysses context-parallel context-parallel-size",
    "expert": "ep expert-parallel expert-model-parallel-size",
    "chunks": "vpp interleave virtual-pipeline",
    "zero_stage": "zero zero-3 fsdp",
    "sequence_parallel": "sp",
    "micro_batch": "mbs micro-batch-size",
}
# Number formats as PyTorch, vLLM and Transformer Engine write them, without punctuation.
FORMATS = {
    "bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32", "float64": "fp64", "double": "fp64",
    "bf16": "bf16", "fp16": "fp16", "fp32": "fp32", "fp64": "fp64", "fp8": "fp8", "fp6": "fp6", "fp4": "fp4", "int8": "int8", "int4": "int4",
    "float8": "fp8", "fp8e4m3": "fp8", "fp8e5m2": "fp8", "float8e4m3fn": "fp8", "e4m3": "fp8", "mxfp8": "fp8", "tf32": "tf32",
    "nvfp4": "fp4", "mxfp4": "fp4", "w4a16": "int4", "w8a8": "int8",
}  # fmt: skip


def nearest(word: str, choices: Collection[str]) -> str:
    """Return a suggestion for an error message: the choice of the same meaning, or else of similar letters.

    >>> nearest("--tensor-parallel-size", ["--chips", "--chips-per-replica"])
    ', did you mean --chips-per-replica?'
    >>> nearest("inference", ["serve", "size"]), nearest("sise", ["serve", "size"])
    (', did you mean serve?', ', did you mean size?')
    """
    asked = word.casefold().replace("_", "-")
    for choice, words in (*_COMMANDS.items(), *_OPTIONS.items(), *_VALUES.items()):
        if choice in choices and asked in words.replace("_", "-").split():
            return f", did you mean {choice}?"
    return near(word, choices)


def near(text: str, choices: Collection[str]) -> str:
    """Return a suggestion of the nearest word for an error message; empty if none is near."""
    by_key = {choice.casefold(): choice for choice in choices}
    found = get_close_matches(text.casefold(), by_key, n=1, cutoff=0.5)
    return f", did you mean {by_key[found[0]]}?" if found else ""
