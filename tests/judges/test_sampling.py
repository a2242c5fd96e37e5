"""Draws with a generator of each row's own fall as often as the scores say."""

import pytest
import torch

from normscope.judges.engines.local.sampling import Draw, OwnDraws, seed_of

LOGITS = torch.tensor([2.0, 1.0, 0.0, -1.0, -torch.inf])
ROWS = 4000


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_samples_fall_as_often_as_the_model_says(temperature: float) -> None:
    draws = OwnDraws([Draw(temperature, seed) for seed in range(ROWS)])
    chosen = draws(torch.zeros((ROWS, 1)), LOGITS.expand(ROWS, -1)).argmax(-1)
    seen = torch.bincount(chosen, minlength=5)
    expected = ROWS * (LOGITS / temperature).softmax(-1)
    assert seen[4] == 0
    # the upper 0.1 % point of chi-square with 3 degrees of freedom is 16.3
    assert float(((seen - expected)[:4] ** 2 / expected[:4]).sum()) < 16.3


def test_a_row_draws_the_same_beside_any_others() -> None:
    scores = torch.randn(3, 50, generator=torch.Generator().manual_seed(0))
    together = OwnDraws([Draw(1.0, 5), Draw(0.7, 6), Draw(0.0, 7)])
    alone = OwnDraws([Draw(0.7, 6)])
    for _ in range(4):  # step after step
        rows = together(torch.zeros((3, 1)), scores)
        assert torch.equal(rows[1], alone(torch.zeros((1, 1)), scores[1:2])[0])
        assert torch.equal(rows[2], scores[2])  # temperature 0 has no noise


def test_a_generator_of_ones_own_leaves_the_worlds_alone() -> None:
    before = torch.random.get_rng_state()
    Draw(1.0, 1)(LOGITS)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_seed_follows_from_the_runs_seed_and_the_prompt() -> None:
    seeds = [seed_of(1, (1, 23)), seed_of(1, (12, 3)), seed_of(11, (23,)), seed_of(1, (1, 23))]
    assert seeds[0] == seeds[3]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 1 << 32 for seed in seeds)
