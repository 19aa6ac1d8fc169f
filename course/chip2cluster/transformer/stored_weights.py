"""Precisions in which a quantized checkpoint stores its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._validate import one_positive, one_whole, set_fields

if TYPE_CHECKING:
    from .config import Config

LINEAR_PARTS = ("attention", "feed_forward")


@dataclass(frozen=True, kw_only=True)
class StoredWeights:
    """Bytes of the weights of a model whose linear layers are quantized and whose other weights are not.

    Parameters
    ----------
    linear_bytes : float
        Bytes of a weight of the quantized linear layers, scales included: 1 for fp8, 0.53125 for MXFP4,
        0.5195 for 4-bit integers with a 16-bit scale and a 4-bit zero for each 128.
    other_bytes : float
        Bytes of every other weight: embeddings, head, norms, routers, and the layers below.
    attention_layers_kept, feed_forward_layers_kept : int
        Layers whose attention, and whose feed-forward block, is not quantized.

    Notes
    -----
    Takes all layers of a part as equally large. Source: the ``quantization_config`` of the checkpoints.

    Examples
    --------
    >>> from chip2cluster.transformer import model
    >>> fp8 = StoredWeights(linear_bytes=1, attention_layers_kept=126, feed_forward_layers_kept=2)
    >>> round(fp8.memory(model("Llama 3.1 405B").config) / 1e9)      # Llama 3.1 405B FP8; 406 if all were 8-bit
    487
    """

    linear_bytes: float
    other_bytes: float = 2.0
    attention_layers_kept: int = 0
    feed_forward_layers_kept: int = 0

    def __post_init__(self) -> None:
        """Validate the fields."""
        set_fields(self, one_positive, "linear_bytes", "other_bytes")
        set_fields(self, one_whole, "attention_layers_kept", "feed_forward_layers_kept", minimum=0)

    def bytes_by_part(self, config: Config) -> dict[str, float]:
        """Return the mean bytes of a parameter of each part of `parameter_breakdown`.

        Parameters
        ----------
        config : Config
            Shape of the model.

        Returns
        -------
        dict of str to float
            Bytes per parameter.

        Notes
        -----
        Biases count as weights. Source: the definition.

        Examples
        --------
        >>> from chip2cluster.transformer import model
        >>> parts = StoredWeights(linear_bytes=1).bytes_by_part(model("Llama 3 8B").config)
        >>> parts["attention"], parts["embedding"]
        (1.0, 2.0)
        """
        from .parameter_counts import parameter_breakdown  # imported here because its module imports this one

        sizes = dict.fromkeys(parameter_breakdown(config), self.other_bytes)
        mixing = config.layers - config.mixer_counts.get("none", 0)
        blocks = config.dense_layers + config.moe_layers
        kept = (self.attention_layers_kept, mixing), (self.feed_forward_layers_kept, blocks)
        for part, (unquantized, layers) in zip(LINEAR_PARTS, kept, strict=True):
            share = min(unquantized / layers, 1.0) if layers else 0.0
            sizes[part] = share * self.other_bytes + (1 - share) * self.linear_bytes
        return sizes

    def memory(self, config: Config) -> float:
        """Return the bytes of all weights.

        Parameters
        ----------
        config : Config
            Shape of the model.

        Returns
        -------
        float
            Bytes.

        Notes
        -----
        Source: the definition.

        Examples
        --------
        >>> from chip2cluster.transformer import model
        >>> awq = StoredWeights(linear_bytes=(4 + 20 / 128) / 8)        # 16-bit scale and 4-bit zero for 128 weights
        >>> round(awq.memory(model("Llama 3 70B").config) / 1e9, 1)
        39.8
        """
        from .parameter_counts import parameter_breakdown

        sizes = self.bytes_by_part(config)
        return float(sum(count * sizes[part] for part, count in parameter_breakdown(config).items()))
