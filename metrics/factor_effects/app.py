"""The Space of `factor_effects`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    answers = (2, 1, 0, -1, 1, 1, -1, -2)
    rows = [[answer, f"vignette {at // 2}", f"v{at % 2}"] for at, answer in enumerate(answers)]
    groups = {
        "sender": ["a camera"] * 4 + ["a lock"] * 4,
        "recipient": (["its owner"] * 2 + ["an advertiser"] * 2) * 2,
    }
    launch(Path(__file__).with_name("factor_effects.py"), rows, {"groups": groups})
