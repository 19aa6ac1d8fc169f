"""GPT in PyTorch, built only when a training step is measured."""

from __future__ import annotations

from typing import Any


def gpt(torch: Any, layers: int, d_model: int, heads: int, vocabulary: int, positions: int) -> Any:
    """Build a GPT: learned positions, GELU, pre-norm, fused causal attention, tied embeddings, cross-entropy."""
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
            self.qkv, self.output = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
            self.up, self.down = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)

        def forward(self, x: Any) -> Any:
            batch, sequence, width = x.shape
            parts = self.qkv(self.norm1(x)).view(batch, sequence, 3, heads, width // heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.output(mixed.transpose(1, 2).reshape(batch, sequence, width))
            return x + self.down(functional.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.position = nn.Embedding(vocabulary, d_model), nn.Embedding(positions, d_model)
            self.blocks = nn.ModuleList(Block() for _ in range(layers))
            self.norm = nn.LayerNorm(d_model)

        def forward(self, tokens: Any, targets: Any) -> Any:
            x = self.embedding(tokens) + self.position.weight[: tokens.shape[1]]
            for block in self.blocks:
                x = block(x)
            logits = functional.linear(self.norm(x), self.embedding.weight)
            return functional.cross_entropy(logits.view(-1, logits.shape[-1]), targets.view(-1))

    return Gpt()
