"""Writes a GGUF file from a Qwen3-shaped model saved with its byte-level BPE tokenizer.

Run by the Python that has `llama_cpp`, `gguf` and `safetensors`: tiny_gguf.py FOLDER FILE.
"""

import json
import sys
from pathlib import Path
from typing import Any

_CONTROL, _NORMAL = 3, 1


def write(folder: Path, file: Path) -> None:
    """The model's weights in float32 and its tokenizer, as llama.cpp reads them."""
    import gguf
    import numpy as np
    from safetensors.numpy import load_file

    config = json.loads((folder / "config.json").read_text())
    writer = gguf.GGUFWriter(str(file), "qwen3")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(_rope_base(config))
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    _tokenizer(writer, folder)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN3, config["num_hidden_layers"])
    for name, weight in load_file(folder / "model.safetensors").items():
        known = names.get_name(name, try_suffixes=(".weight", ".bias"))
        writer.add_tensor(known, weight.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _rope_base(config: dict[str, Any]) -> float:
    return float((config.get("rope_parameters") or config).get("rope_theta", 10000.0))


def _tokenizer(writer: Any, folder: Path) -> None:
    made = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = made["model"]["vocab"]
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    special = {token["id"]: token["content"] for token in made["added_tokens"]}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([_CONTROL if i in special else _NORMAL for i in range(len(tokens))])
    writer.add_token_merges(
        [m if isinstance(m, str) else " ".join(m) for m in made["model"]["merges"]]
    )
    told = json.loads((folder / "tokenizer_config.json").read_text())
    writer.add_eos_token_id(vocabulary[told["eos_token"]])
    begins = told.get("bos_token")
    writer.add_add_bos_token(bool(begins))
    if begins:
        writer.add_bos_token_id(vocabulary[begins])
    template = folder / "chat_template.jinja"
    if template.exists():
        writer.add_chat_template(template.read_text())


if __name__ == "__main__":
    write(Path(sys.argv[1]), Path(sys.argv[2]))
