"""The Space of `cfsafety_score`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    launch(Path(__file__).with_name("cfsafety_score.py"), [[0.97, 4.8], [None, None], [0.2, 1.5]])
