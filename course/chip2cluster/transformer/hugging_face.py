"""Read the shape of a model from a ``config.json`` of the Hugging Face hub."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import hugging_face_fields as fields
from .config import Config
from .hugging_face_dense import dense
from .hugging_face_experts import dots, ernie_moe, llama4, olmoe
from .hugging_face_families import (
    Fields,
    deepseek,
    gemma,
    glm_moe,
    gpt_oss,
    llama,
    minimax,
    mixtral,
    nemotron_h,
    phi,
    phi_moe,
    qwen_moe,
    qwen_next,
)
from .hugging_face_gpt import falcon, gpt, gpt_neox, mpt, opt
from .hugging_face_quantization import stored_weights

UNCOMPARED = "no count compared"
_FAMILIES: dict[str, tuple[Callable[[Fields], dict[str, Any]], str]] = {
    "llama": (llama, "Llama 1 to 3.3"),
    "mistral": (llama, "Mistral"),
    "ministral": (llama, f"Ministral; {UNCOMPARED}"),
    "ministral3": (llama, f"Ministral 3; {UNCOMPARED}"),
    "mixtral": (mixtral, "Mixtral"),
    "phi": (phi, "Phi 1 and 2"),
    "phi3": (llama, "Phi 3 and 4"),
    "phimoe": (phi_moe, "Phi 3.5 MoE"),
    "qwen2": (llama, "Qwen2, Qwen2.5"),
    "qwen2_moe": (qwen_moe, "Qwen2 MoE"),
    "qwen3": (llama, "Qwen3"),
    "qwen3_moe": (qwen_moe, "Qwen3 MoE"),
    "qwen3_next": (qwen_next, "Qwen3-Next"),
    "qwen3_5": (qwen_next, f"Qwen3.5 without experts; {UNCOMPARED}"),
    "qwen3_5_text": (qwen_next, f"Qwen3.5 without experts; {UNCOMPARED}"),
    "qwen3_5_moe": (qwen_next, "Qwen3.5 MoE"),
    "qwen3_5_moe_text": (qwen_next, "Qwen3.5 MoE"),
    "gemma": (gemma, "Gemma"),
    "gemma2": (gemma, "Gemma 2"),
    "gemma3": (gemma, "Gemma 3"),
    "gemma3_text": (gemma, "Gemma 3"),
    "gpt_oss": (gpt_oss, "gpt-oss"),
    "deepseek_v2": (deepseek, "DeepSeek-V2"),
    "deepseek_v3": (deepseek, "DeepSeek-V3, R1"),
    "deepseek_v32": (deepseek, "DeepSeek-V3.2"),
    "kimi_k2": (deepseek, "Kimi K2"),
    "glm4_moe": (glm_moe, "GLM-4.5 to 4.7"),
    "glm4_moe_lite": (deepseek, f"GLM-4.7 Flash; {UNCOMPARED}"),
    "glm_moe_dsa": (deepseek, "GLM-5"),
    "minimax": (minimax, "MiniMax-Text-01"),
    "minimax_text_01": (minimax, "MiniMax-Text-01"),
    "minimax_m1": (minimax, f"MiniMax-M1; {UNCOMPARED}"),
    "minimax_m2": (minimax, "MiniMax-M2"),
    "nemotron_h": (nemotron_h, "Nemotron-H, Nemotron 3 Nano"),
    "granite": (dense, "Granite 3"),
    "olmo2": (dense, "OLMo 2"),
    "olmo3": (dense, "OLMo 3"),
    "cohere": (dense, "Command R"),
    "cohere2": (dense, "Command R7B, Command A"),
    "glm": (dense, "GLM-4 9B"),
    "glm4": (dense, "GLM-4-0414"),
    "starcoder2": (dense, "StarCoder2"),
    "stablelm": (dense, "StableLM"),
    "smollm3": (dense, "SmolLM3"),
    "ernie4_5": (dense, "ERNIE 4.5 0.3B"),
    "exaone4": (dense, "EXAONE 4"),
    "seed_oss": (dense, "Seed-OSS"),
    "apertus": (dense, "Apertus"),
    "arcee": (dense, "AFM 4.5B"),
    "nemotron": (dense, "Nemotron-4, Minitron"),
    "hunyuan_v1_dense": (dense, "Hunyuan without experts"),
    "cwm": (dense, "CWM"),
    "jais2": (dense, "Jais 2"),
    "olmoe": (olmoe, "OLMoE"),
    "granitemoe": (olmoe, "Granite 3 MoE"),
    "granitemoeshared": (olmoe, "Granite 3 MoE with a shared expert"),
    "ernie4_5_moe": (ernie_moe, "ERNIE 4.5 MoE"),
    "dots1": (dots, "dots.llm1"),
    "solar_open": (dots, "Solar Open"),
    "llama4_text": (llama4, "Llama 4"),
    "llama4": (llama4, "Llama 4"),
    "gpt2": (gpt, "GPT-2"),
    "gpt_bigcode": (gpt, "StarCoder"),
    "gpt_neox": (gpt_neox, "GPT-NeoX, Pythia"),
    "opt": (opt, "OPT"),
    "falcon": (falcon, "Falcon"),
    "mpt": (mpt, "MPT"),
}
# Language models of multimodal ones that have the fields of another family.
_SAME_AS = {
    "qwen2_vl": "qwen2", "qwen2_vl_text": "qwen2", "qwen2_5_vl": "qwen2", "qwen2_5_vl_text": "qwen2",
    "qwen3_vl": "qwen3", "qwen3_vl_text": "qwen3", "qwen3_vl_moe": "qwen3_moe", "qwen3_vl_moe_text": "qwen3_moe",
}  # fmt: skip
HUGGING_FACE_FAMILIES: dict[str, str] = {name: says for name, (_, says) in _FAMILIES.items()} | {
    name: f"{_FAMILIES[same][1]}, with vision" for name, same in _SAME_AS.items()
}
"""The ``model_type`` of each family that `Config.from_hugging_face` reads, with models of it.

The parameter count of a model of each is compared with the published one, unless the text says that it is not.
"""


def read_config(source: str | PathLike[str] | Mapping[str, Any], ignore: tuple[str, ...] = ()) -> Config:
    """Return the shape that a ``config.json`` describes, see `Config.from_hugging_face`."""
    outer = _content(source)
    text = outer.get("text_config")
    if text is not None and not isinstance(text, Mapping):
        raise ValueError(f"text_config must be an object with the fields of the language model, got {text!r}")
    content = dict(text) if text is not None else dict(outer)
    if text is not None:
        for name in ("tie_word_embeddings", "quantization_config"):
            if name in outer:
                content.setdefault(name, outer[name])
    named = (content.get("model_type", outer.get("model_type")), outer.get("model_type"))
    family = next((one for one in map(_family, named) if one in _FAMILIES), named[0])
    if family not in _FAMILIES:
        raise ValueError(
            f"model_type={family!r} was not tried; describe its shape with transformer.Config(...). "
            f"Tried are {', '.join(sorted(HUGGING_FACE_FAMILIES))}"
        )
    found = Fields(family, content)
    shape = _FAMILIES[family][0](found)
    quantization = found.take("quantization_config", None)
    config = Config(**shape)
    left = [name for name in found.unused() if name not in ignore and not fields.is_harmless(name)]
    if left:
        shown = ", ".join(f"{name}={content[name]!r}"[:60] for name in left)
        raise ValueError(
            f"fields of config.json that may change the result and are not modelled for {family!r}: {shown}; "
            f"if they do not matter, pass ignore={tuple(left)!r}"
        )
    if quantization is None:
        return config
    return Config(**shape, stored_weights=stored_weights(quantization, config))


def _family(name: Any) -> Any:
    """Return the family whose fields a language model has."""
    return _SAME_AS.get(name, name)


def towers_left_out(source: str | PathLike[str] | Mapping[str, Any]) -> tuple[str, ...]:
    """Return the towers beside the language model that `read_config` leaves out."""
    content = _content(source)
    return tuple(name for name in ("vision", "audio") if isinstance(content.get(f"{name}_config"), Mapping))


def _content(source: str | PathLike[str] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of the file, or the given one."""
    if isinstance(source, Mapping):
        return dict(source)
    if not isinstance(source, (str, PathLike)):
        raise TypeError(f"source must be the path of a config.json or its content as a dict, got {source!r}")
    path = Path(fspath(source))
    if path.is_dir():
        path /= "config.json"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ValueError(f"source {str(path)!r} cannot be read: {problem.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise ValueError(f"source {str(path)!r} is not JSON: {problem}") from None
    if not isinstance(content, dict):
        raise ValueError(f"source {str(path)!r} must hold a JSON object, got {type(content).__name__}")
    return content
