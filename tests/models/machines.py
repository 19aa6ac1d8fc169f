"""A cluster, its chips, models and layouts that tests of parallelism share."""

from hypothesis import strategies as st

from chip2cluster import specs, transformer
from chip2cluster.parallelism import Layout, Tier

H100, A100 = specs.accelerator("H100 SXM"), specs.accelerator("A100 SXM 80GB")
LLAMA, MIXTRAL = (transformer.model(name).config for name in ("Llama 3 8B", "Mixtral 8x7B"))
CLUSTER = Tier("node", 8, 450e9, 2e-6), Tier("rack", 64, 100e9, 3e-6), Tier("network", 16384, 50e9, 5e-6)
SMALL = st.builds(
    Layout, tensor=st.sampled_from([1, 2, 4, 8]), pipeline=st.sampled_from([1, 2, 3, 4]),
    data=st.sampled_from([4, 8, 6]), context=st.sampled_from([1, 2, 4]), expert=st.sampled_from([1, 2]),
)  # fmt: skip
