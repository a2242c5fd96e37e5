"""What a benchmark was measured on: without it no figure says anything."""

import os
import platform
from typing import Any

import torch
import transformers


def machine() -> dict[str, Any]:
    """The processor, how many threads compute, how busy it is, and the versions."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "load_average_at_start": os.getloadavg()[0],
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }
