"""Custom models of ``--shape``: experts, and the names of a config.json."""

import pytest

from chip2cluster import shell

H100 = '--chip "H100 SXM" --chips 8'


def parameters(shape):
    """Parameters of a model: each takes 16 bytes of weights, gradients and optimizer."""
    return shell.ask(f'size --shape "{shape}" {H100}')["state_bytes"] / 16


def test_experts_of_a_published_model():
    """Qwen3-30B-A3B has 30,532,122,624 parameters by its index of tensors."""
    shape = "layers=48 d_model=2048 heads=32 kv_heads=4 head_dim=128 vocab_size=151936 gated=1 qk_norm=1"
    assert parameters(f"{shape} experts=128 per_token=8 expert_d_hidden=768") == pytest.approx(30_532_122_624, rel=1e-3)
    assert parameters(f"{shape} experts=128 per_token=8 d_hidden=768") == pytest.approx(30_532_122_624, rel=1e-3)


def test_names_of_a_config_file_mean_the_same():
    hub = (
        "num_hidden_layers=32 hidden_size=4096 num_attention_heads=32 num_key_value_heads=8 intermediate_size=14336 "
        "vocab_size=128256"
    )
    assert parameters(hub) == pytest.approx(8_030_261_248)


@pytest.mark.parametrize(
    ("shape", "says"),
    [
        ("layers=4 d_model=64 heads=4 vocab_size=100 experts=8", "needs per_token as well"),
        ("layers=4 d_model=64 heads=4 vocab_size=100 experts=8 per_token=2", "needs expert_d_hidden"),
        ("layers=4 num_hidden_layers=4", "layers is given twice, also by the name num_hidden_layers"),
        ("num_hidden_layer=4", "did you mean num_hidden_layers?"),
    ],
)
def test_incomplete_shapes_name_what_is_missing(shape, says):
    with pytest.raises(shell.UsageError, match=says):
        parameters(shape)
