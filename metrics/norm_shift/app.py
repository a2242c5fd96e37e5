"""The Space of `norm_shift`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    answers = {"base": (2, 1, 1, -1, 0, 0), "tuned": (1, 0, 0, -2, -1, 0)}
    rows = [
        [answer, f"vignette {at // 3}", f"v{at % 3}", condition]
        for condition, row in answers.items()
        for at, answer in enumerate(row)
    ]
    launch(Path(__file__).with_name("norm_shift.py"), rows)
