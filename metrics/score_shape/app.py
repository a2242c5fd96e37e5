"""The Space of `score_shape`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    rows = [[1.0, 5.0], [0.9, 4.6], [0.1, 1.2], [0.0, 1.0], [0.8, 4.1]]
    launch(Path(__file__).with_name("score_shape.py"), rows)
