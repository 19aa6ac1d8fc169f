"""Lab 9: what a printed MFU counts."""

from typing import Any

from chip2cluster import transformer, units, utilization
from chip2cluster.exercise.written_question import Column, Draw, Explanation, Question, percent


def draw(generator):
    constants: dict[str, Any] = {
        "model": str(generator.choice(["Llama 2 7B", "Llama 2 13B", "MPT 7B"])),
        "devices": float(generator.integers(4, 33) * 8),
        "peak_flops": float(generator.integers(30, 100)) * 1e13,
    }

    def row(sequence):
        per_token = transformer.training_flops_per_token(transformer.model(constants["model"]).config, sequence)
        rate = generator.uniform(0.3, 0.55) * constants["devices"] * constants["peak_flops"] / per_token
        return {"sequence": float(sequence), "tokens_per_second": float(f"{rate:.4g}")}

    return Draw(constants, [row(512), row(8192), row(int(generator.choice([16384, 32768])))], row(65536))


def parameters(model):
    return transformer.parameters(transformer.model(model).config)


def attention(sequence, tokens_per_second, model, devices, peak_flops):
    per_token = transformer.training_flops_per_token(transformer.model(model).config, sequence)
    return utilization.mfu(tokens_per_second, per_token, devices, peak_flops)


def weights_alone(sequence, tokens_per_second, model, devices, peak_flops):
    return utilization.mfu(tokens_per_second, 6 * parameters(model), devices, peak_flops)


def shown(model, devices, peak_flops):
    config = transformer.model(model).config
    return {
        "model": f"{model} ({parameters(model) / 1e9:.3g} billion parameters, {config.layers} layers, width {config.d_model})",
        "devices": f"{devices:g}",
        "peak": units.show(peak_flops, "FLOP/s"),
    }


QUESTION = Question(
    scene="A team trained {model} on {devices} chips of {peak} dense and prints its MFU for several lengths of sequence, but not what "
    "it counts.",
    columns=(Column("sequence", "tokens a sequence"), Column("tokens_per_second", "tokens a second, all chips")),
    result=Column("mfu", "printed MFU", percent),
    explanations=(
        Explanation(
            "they count the products with the weights and those of attention, all pairs of tokens.",
            "With short sequences attention is a small part and either count will do. With long ones it is a large part of every token, and "
            "only with it do the tokens of a second make the printed share.",
            "If the team's own count of FLOP for a token were the same at all lengths, I would be wrong.",
            attention,
        ),
        Explanation(
            "they count six FLOP for each parameter and token, and nothing else.",
            "With short sequences attention is a small part and either count will do. With long ones the chips work much more for a token "
            "than is counted: the machine was better used than the print says, and the print does not compare lengths.",
            "If the team's own count of FLOP for a token grew with the length, I would be wrong.",
            weights_alone,
        ),
    ),
    coming="what you expect them to print at {sequence} tokens a sequence and {tokens_per_second} tokens a second",
    draw=draw,
    shown=shown,
    noise=0.005,
)
