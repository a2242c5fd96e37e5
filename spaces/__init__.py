"""People to all of the above: one Gradio Space per subfolder."""
