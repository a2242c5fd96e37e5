"""A small random model of every type that transformers loads as a causal language model.

It is made from the type's own default config, in which the usual sizes are made small, so that a
type that a newer transformers brings is built as well, if it calls its sizes by their usual names.
Layers of every kind that the config mixes stay in, windows and chunks are shorter than a prompt,
and the logits lie far apart: a wrong mask shows.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
import transformers
from reference_models import sharpened
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

from normscope.judges.engines.local.devices import use_onednn
from normscope.judges.engines.local.prefix_tree import Ids
from normscope.judges.engines.local.transformers import Way, choose, pieces

WINDOW = 12
"""How many tokens a window or a chunk of these models has."""

VOCABULARY, PACK = 97, 40
"""How many tokens there are, and how many a pack takes."""

# tokens that mean something to some models: one fills rows up, another ends them
_SPECIAL = 10

_HEADS, _KEY_HEADS, _HEAD, _LAYERS = 4, 2, 16, 3

_SIZES: dict[str, int] = {
    name: value
    for value, names in (
        (
            _HEADS * _HEAD,
            """hidden_size d_model n_embd emb_dim embedding_dim embedding_size
            word_embed_proj_dim attention_hidden_size lru_width input_embedding_size
            output_embedding_size pronunciation_embed_dim shape_embed_dim""",
        ),
        (
            _LAYERS,
            """num_hidden_layers n_layer n_layers num_layers decoder_layers encoder_layers
            num_decoder_layers num_encoder_layers num_blocks""",
        ),
        (
            _HEADS,
            """num_attention_heads n_head n_heads num_heads decoder_attention_heads
            encoder_attention_heads attention_heads num_decoder_attention_heads linear_num_heads
            num_encoder_attention_heads swa_num_attention_heads linear_num_value_heads""",
        ),
        (
            _KEY_HEADS,
            """num_key_value_heads num_kv_heads swa_num_key_value_heads num_query_groups
            linear_num_key_heads""",
        ),
        # of fewer heads many scores would be nothing, and which of them are taken would be chance
        (
            _HEAD,
            """index_n_heads head_dim kv_channels attention_head_dim v_head_dim swa_head_dim
            d_head dim_head attention_head_size linear_head_dim linear_key_head_dim
            linear_value_head_dim query_pre_attn_scalar q_lora_rank kv_lora_rank o_lora_rank
            mamba_d_head mamba_head_dim mamba_headdim index_head_dim""",
        ),
        (
            _HEAD // 2,
            """qk_rope_head_dim qk_nope_head_dim rotary_dim mamba_d_state state_size
            ssm_state_size hidden_size_per_layer_input mamba_chunk_size chunk_size
            mamba_n_heads mamba_num_heads""",
        ),
        (
            96,
            """intermediate_size ffn_dim d_inner decoder_ffn_dim encoder_ffn_dim n_inner dff dim_ff
            ffn_hidden_size feed_forward_size intermediate_size_mlp dense_intermediate_size
            prefix_dense_intermediate_size""",
        ),
        (
            32,
            """moe_intermediate_size shared_expert_intermediate_size expert_ffn_hidden_size
            shared_experts_intermediate_size moe_shared_expert_intermediate_size
            shared_intermediate_size""",
        ),
        (4, "num_experts n_routed_experts num_local_experts moe_num_experts time_step_rank"),
        (
            2,
            """num_experts_per_tok num_experts_per_token moe_topk moe_k moe_top_k top_k_experts
            kv_n_heads""",
        ),
        (
            1,
            """n_shared_experts num_shared_experts moe_num_shared_experts n_group num_expert_group
            topk_group""",
        ),
        (0, "num_nextn_predict_layers num_mtp_layers"),
        (
            512,
            """max_position_embeddings n_positions n_ctx max_seq_len context_length
            max_target_positions pronunciation_vocab_size shape_vocab_size""",
        ),
        # of images and sounds, which are never shown
        (28, "image_size"),
        (14, "patch_size"),
    )
    for name in names.split()
}
# these are small, too, where the default config leaves them to be worked out
_EVEN_IF_UNSAID = {
    *("head_dim", "num_key_value_heads", "num_experts", "n_routed_experts", "num_experts_per_tok"),
    *("n_shared_experts", "n_group", "topk_group"),
}

# how many tokens a layer sees at most, or at once
_WINDOWS = (
    *("sliding_window", "attention_window_size", "window_size", "sliding_window_size"),
    *("local_attention", "local_attention_window_len", "attention_chunk_size", "index_topk"),
)

_FULL, _SLIDING, _LINEAR = "full_attention", "sliding_attention", "linear_attention"
# the last two layers see the keys and values of those before
_SHARED_KEYS = {
    "num_hidden_layers": 4,
    "num_kv_shared_layers": 2,
    "layer_types": [_SLIDING, _FULL] * 2,
}
_QWEN4: dict[str, Any] = {
    "indexer_n_heads": 4,
    "indexer_kv_heads": 1,
    "indexer_head_dim": 16,
    "indexer_budget": 8,
    "indexer_compress_ratio": 4,
    "ple_layer_ids": [1],
    "ple_embed_dim": 64,
    "ngram_vocab_size_base": 50,
    "split_ngram_parts": 4,
    "eos_token_id": 1,
}
# attention over two vectors of a token, one beside the other
_WIDE = {"attention_hidden_size": 128, "attention_head_dim": 32}
OWN_SIZES: dict[str, dict[str, Any]] = {
    "bamba": {"attn_layer_indices": [1]},
    "blt": {
        "encoder_config": {"hidden_size_global": 64},
        "decoder_config": {"hidden_size_global": 64},
        "encoder_hash_byte_group_vocab": 50,
    },
    "cohere": {"logit_scale": 1.0},
    "cohere2": {"logit_scale": 1.0},
    "cohere2_moe": {"logit_scale": 1.0},
    "cohere_compass_text": {
        "layer_types": [_SLIDING, _FULL, _SLIDING],
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [4, 2, 2]}
            for kind in (_SLIDING, _FULL)
        },
    },
    "dbrx": {"attn_config": {"rope_theta": 10_000.0, "clip_qkv": 8}},
    "dots3_note": {
        "vision_config": {"adapter_in_dim": 64, "adapter_out_dim": 64},
        "audio_config": {"adapter_input_size": 64, "adapter_out_dim": 64},
    },
    "falcon_h1": {"mamba_d_ssm": 128},
    "gemma3n_text": {
        **_SHARED_KEYS,
        "intermediate_size": [96] * 4,
        "activation_sparsity_pattern": [0.5, 0.0] * 2,
    },
    "gemma4_text": _SHARED_KEYS,
    "gpt_neo": {"attention_types": [[["global", "local"], 2]], "num_layers": 4},
    "granitemoehybrid": {"layer_types": [_LINEAR, _FULL, _LINEAR]},
    "inkling_text": {"logits_mup_width_multiplier": 1.0},
    "lfm2_moe": {"layer_types": ["conv", _FULL, "conv"], "num_dense_layers": 1},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1},
    "lfm2": {"layer_types": ["conv", _FULL, "conv"]},
    "longcat_flash": {"zero_expert_num": 2},
    "mamba2": {"num_heads": 8},
    "minimax_m3_vl_text": {
        "layer_types": ["minimax_m3_sparse", _FULL, "minimax_m3_sparse"],
        "index_block_size": 4,
        "index_topk_blocks": 2,
        "index_n_heads": 2,
    },
    "qwen4_exp": {"text_config": _QWEN4},
    "qwen4_exp_text": _QWEN4,
    # its hashes are drawn anew for each pass without a seed
    "reformer": {"axial_pos_embds": False, "hash_seed": 0},
    "xmod": {"default_language": "en_XX"},
    "zamba": {"layers_block_type": [_LINEAR, "hybrid", "hybrid"], **_WIDE},
    "zamba2": {
        "layers_block_type": [_LINEAR, "hybrid", "hybrid"],
        "hybrid_layer_ids": [1, 2],
        **_WIDE,
    },
    "zaya": {"num_experts_per_tok": 1},
}
"""What a type needs beside the usual sizes."""

# whose logits are far apart with less, and with more no nearer to one another than rounding errors
_FACTORS = {"blt": 3.0, "xlstm": 3.0}

_DRAFTS = "it drafts tokens for another model, whose keys and values it reads"
_SOUND = "it writes several sound codes a step, not text"
NOT_BUILT: dict[str, str] = {
    "gemma3n": "its picture tower comes from another package (timm); gemma3n_text is built",
    "gemma4_assistant": _DRAFTS,
    "gemma4_unified_assistant": _DRAFTS,
    "musicgen": _SOUND,
    "musicgen_melody": _SOUND,
}
"""Types of which no small model can be made here, each with the reason."""


def model_types() -> list[str]:
    """Every type of model that this transformers loads as a causal language model."""
    return sorted(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


def small(model_type: str, vocabulary: int, *, window: int = WINDOW) -> Any:
    """A random model of the type in float32, of some 100,000 parameters, in evaluation mode."""
    torch.manual_seed(3)
    config = small_config(model_type, vocabulary, window)
    model = transformers.AutoModelForCausalLM.from_config(config).eval()
    return sharpened(model, _FACTORS.get(model_type, 6.0))


def small_config(model_type: str, vocabulary: int, window: int) -> Any:
    """The type's default config with small sizes."""
    kind = CONFIG_MAPPING[model_type]
    return kind(**_small(kind, vocabulary, window, OWN_SIZES.get(model_type, {})))


def _small(kind: Any, vocabulary: int, window: int, own: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a config of this kind that differ from its defaults."""
    config = kind()
    default: dict[str, Any] = config.to_dict()
    result: dict[str, Any] = {
        name: value
        for name, value in _SIZES.items()
        if isinstance(default.get(name), int)
        or (name in _EVEN_IF_UNSAID and name in default and default[name] is None)
    }
    result |= {name: window for name in _WINDOWS if isinstance(default.get(name), int)}
    # keys and values of latent attention are not shared between heads
    if "kv_lora_rank" in default:
        result["num_key_value_heads"] = _HEADS
        if default.get("head_dim") == default["qk_rope_head_dim"]:
            result["head_dim"] = result["qk_rope_head_dim"]
    result |= {name: 0.02 for name in ("initializer_range", "init_std") if name in default}
    for name, value in default.items():
        if name.endswith("token_id") and isinstance(value, int):
            result[name] = 1
    if "vocab_size" in default:
        result["vocab_size"] = vocabulary
    result |= {name: vocabulary for name in default if name.startswith("vocab_size_per_layer")}
    # a BERT is a language model only then
    result |= {name: True for name in ("is_decoder", "causal") if name in default}
    if default.get("per_layer_config"):
        result["per_layer_config"] = None
    result |= dict(_layers(default))
    for name in getattr(config, "sub_configs", None) or {}:
        inner = getattr(config, name, None)
        if inner is not None:
            result[name] = _small(type(inner), vocabulary, window, {})
            if inner.model_type:
                result[name]["model_type"] = inner.model_type
    for name, value in own.items():
        both = isinstance(value, dict) and isinstance(result.get(name), dict)
        result[name] = result[name] | value if both else value
    return result


def _layers(default: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """As many layers as show every kind of them, and the lists that tell of each layer."""
    count = default.get("num_hidden_layers")
    lists = {name: value for name, value in default.items() if isinstance(value, list | tuple)}
    lists = {name: value for name, value in lists.items() if len(value) == count}
    kinds = {name: list(dict.fromkeys(map(_hashable, value))) for name, value in lists.items()}
    small = max(
        [_LAYERS, *(len(kinds[n]) for n in ("layer_types", "layers_block_type") if n in kinds)]
    )
    for name, values in kinds.items():
        yield name, [values[number % len(values)] for number in range(small)]
    if count is not None:
        yield "num_hidden_layers", small


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Walked(NamedTuple):
    """How a model of a type is read: the way that is chosen and why it is not a prefix tree.

    `difference` is the largest of a log-probability from that of a plain pass over the same tokens
    alone, and `spread` how far the log-probabilities of a place lie apart, at least.
    """

    way: Way
    why: str
    difference: float
    spread: float


@torch.inference_mode()
def walk(model_type: str, *, window: int = WINDOW) -> Walked:
    """A small model of the type, taken as the engine takes one, over a tree deeper than a window.

    The tree goes in several packs, and is read at every node, with longer windows at some.
    """
    model = small(model_type, VOCABULARY, window=window)
    leaves = _leaves(window)
    nodes = sorted({leaf[:cut] for leaf in leaves for cut in range(1, len(leaf) + 1)})
    if window > WINDOW:
        nodes = [node for node in nodes if len(node) % 9 == 0 or len(node) > window]
    alone = _plain(model, leaves, nodes)
    use_onednn(model)
    way, why = choose(model, pack_tokens=PACK)
    read: dict[Ids, torch.Tensor] = {}
    for at, rows in pieces(way, model, nodes, pack_tokens=PACK):
        read |= {nodes[i]: row.log_softmax(-1) for i, row in zip(at, rows, strict=True)}
    difference = max(float((read[node] - alone[node]).abs().max()) for node in nodes)
    plain = torch.stack(list(alone.values()))
    return Walked(way, why, difference, float((plain.amax(-1) - plain.amin(-1)).min()))


def _leaves(window: int) -> list[Ids]:
    """Branches of one another, all but one deeper than a window."""

    def some(step: int, count: int) -> Ids:
        # without the first tokens: of several models one of these fills rows up
        size = VOCABULARY - _SPECIAL
        return tuple((step * i * i + 11 * i + step) % size + _SPECIAL for i in range(count))

    stem = some(7, window + 10)
    forked = (*stem, *some(2, 6))
    return [
        (*stem, *some(2, 18)),
        (*forked, *some(3, 14)),
        (*forked, *some(5, 3)),
        (*stem, *some(4, 20)),
        (*stem[:-7], *some(6, 9)),
        some(8, 17),
    ]


def _plain(model: Any, leaves: list[Ids], nodes: list[Ids]) -> dict[Ids, torch.Tensor]:
    """The log-probabilities after each node, by passes of one row, without padding or a cache."""

    def after(ids: Ids) -> torch.Tensor:
        logits: torch.Tensor = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
        return logits.log_softmax(-1)

    found: dict[Ids, torch.Tensor] = {}
    for leaf in leaves:
        found |= {leaf[:cut]: row for cut, row in enumerate(after(leaf), 1)}
    middle = leaves[0][: len(leaves[0]) // 2]
    # where what follows is seen, too, each node needs a pass of its own
    if not torch.allclose(found[middle], after(middle)[-1], atol=1e-4):
        return {node: after(node)[-1] for node in nodes}
    return {node: found[node] for node in nodes}
