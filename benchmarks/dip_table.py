"""Prints the quantiles of √n · dip over uniform samples that `metrics/dip.py` holds."""

import argparse

import numpy as np

from normscope.metrics.dip import _SIZES, _TAILS, dip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1985)
    given = parser.parse_args()
    random = np.random.default_rng(given.seed)
    for n in _SIZES.tolist():
        found = [dip(random.random(n)) or 0.0 for _ in range(given.samples)]
        quantiles = np.quantile(np.sqrt(n) * np.array(found), 1 - _TAILS)
        print(f"    # {n}\n    {[round(float(one), 4) for one in quantiles]},", flush=True)


if __name__ == "__main__":
    main()
