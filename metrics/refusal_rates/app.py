"""The Space of `refusal_rates`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    launch(Path(__file__).with_name("refusal_rates.py"), [[3], [2], [None], [1], [0]])
