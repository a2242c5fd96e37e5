"""The Space of `risk_identification`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    rows = [["A", "A"], ["B", "C"], ["D", "D"]]
    launch(Path(__file__).with_name("risk_identification.py"), rows)
