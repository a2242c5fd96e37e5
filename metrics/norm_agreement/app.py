"""The Space of `norm_agreement`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    answers = {"one": (2, 1, -1, -1), "other": (2, 2, 1, -1)}
    rows = [
        [answer, f"vignette {at // 2}", f"v{at % 2}", model]
        for model, row in answers.items()
        for at, answer in enumerate(row)
    ]
    launch(Path(__file__).with_name("norm_agreement.py"), rows)
