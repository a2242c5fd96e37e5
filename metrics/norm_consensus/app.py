"""The Space of `norm_consensus`."""

from pathlib import Path

from normscope.space.widget import launch

if __name__ == "__main__":
    answers = {"a camera, to its owner": (2, 1, 2), "a camera, to an advertiser": (-2, -1, 0)}
    rows = [
        [answer, item, f"v{variant}"]
        for item, row in answers.items()
        for variant, answer in enumerate(row)
    ]
    launch(Path(__file__).with_name("norm_consensus.py"), rows)
