"""How the bundled judge was made: data, tokenizer, teachers, lessons, training, evaluation."""
