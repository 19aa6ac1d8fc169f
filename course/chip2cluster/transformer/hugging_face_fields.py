"""Fields of a ``config.json`` that change neither counts nor memory."""

from __future__ import annotations

import re

_NAMES = """
    _attn_implementation _attn_implementation_autoset _commit_hash _name_or_path add_bos_token architectures
    attention_bias_type attention_dropout attention_probs_dropout_prob attn_config attn_pdrop auto_map aux_loss_alpha
    attn_logit_softcapping bos_token bos_token_id cache_implementation chunk_size classifier_dropout
    decoder_start_token_id dtype embd_pdrop embedding_multiplier eos_token eos_token_id ep_size epsilon experts_implementation
    expand final_logit_softcapping finetuning_task gradient_checkpointing head_type hidden_act hidden_activation hidden_dropout
    hidden_dropout_prob id2label image_token_id image_token_index initial_context_length initializer_factor
    initializer_range init_std input_jitter_noise is_decoder is_encoder_decoder label2id language_model_only
    layer_norm_eps layer_norm_epsilon layernorm_epsilon lm_head_dtype logits_scaling loss_type mamba_hidden_act
    mamba_ssm_cache_dtype mamba_ssm_dtype max_context_len max_length max_position_embeddings max_sequence_length
    max_window_layers mlp_hidden_act model_max_length model_type moe_aux_loss_coeff mtp_num_hidden_layers
    mtp_transformer_layers mtp_use_dedicated_embeddings n_ctx n_group norm_eps norm_topk_prob num_logits_to_keep
    num_mtp_modules num_nextn_predict_layers original_max_position_embeddings output_attentions
    output_hidden_states output_router_logits pad_token_id partial_rotary_factor postnorm pretraining_tp
    problem_type pruned_heads query_pre_attn_scalar rescale_prenorm_residual resid_pdrop residual_in_fp32
    resid_dropout rms_norm_eps rope_interleave rope_interleaved rope_local_base_freq rope_parameters rope_pct rope_scaling
    rope_theta rope_ratio rotary_dim rotary_emb_base routed_scaling_factor router_aux_loss_coef router_dtype
    router_jitter_noise router_z_loss_coef scoring_func seq_aux seq_length residual_dtype
    sep_token_id shared_moe_mode swiglu_limit
    time_step_floor time_step_limit time_step_max time_step_min time_step_rank tokenizer_class topk_group
    topk_method torch_dtype torchscript transformers_version unsloth_fixed unsloth_version use_bidirectional_attention
    use_cache use_mamba_kernels use_mtp vision_config vision_start_token_id vision_end_token_id video_token_id
    audio_config mm_tokens_per_image boi_token_index eoi_token_index z_loss_coefficient mrope_interleaved
    layernorm_full_attention_alpha layernorm_full_attention_beta layernorm_linear_attention_alpha
    layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta full_attn_alpha_factor full_attn_beta_factor
    linear_attn_alpha_factor linear_attn_beta_factor mlp_alpha_factor mlp_beta_factor block_size
    begin_suppress_tokens bad_words_ids chunk_size_feed_forward diversity_penalty early_stopping
    encoder_no_repeat_ngram_size exponential_decay_length_penalty forced_bos_token_id length_penalty min_length
    no_repeat_ngram_size num_beam_groups num_beams num_return_sequences output_scores prefix remove_invalid_values
    repetition_penalty return_dict return_dict_in_generate suppress_tokens task_specific_params tf_legacy_loss
    tie_encoder_decoder typical_p use_bfloat16 swiglu_alpha
    activation_function attention_multiplier attention_softmax_in_fp32 attn_scale attn_temperature_tuning clip_qkv dropout
    emb_pdrop embedding_dropout floor_scale init_device layerdrop logit_scale max_seq_len moe_norm_min norm_epsilon
    reorder_and_upcast_attn residual_dropout residual_multiplier scale_attention_softmax_in_fp32 scale_attn_weights
    scale_attn_by_inverse_layer_idx summary_activation summary_first_dropout summary_proj_to_labels summary_type
    summary_use_proj n_positions rotary_pct moe_shared_expert_overlap
    full_attn_mod indexer_rope_interleave interpolate_factor max_model_len intermediate_act_fn mlp_dropout attention_softcap llama_4_scaling
"""
_HARMLESS = frozenset(_NAMES.split())
# Names of token ids, of generation, and of rotary positions.
_HARMLESS_PATTERN = re.compile(
    r".*_token_id|.*_token_index|rope_.*|do_sample|mtp_.*|num_mtp_.*|temperature|top_[kp]|.*_token_ids"
)


def is_harmless(name: str) -> bool:
    """Return whether a field changes neither counts nor memory."""
    return name in _HARMLESS or _HARMLESS_PATTERN.fullmatch(name) is not None
