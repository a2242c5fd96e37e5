"""Draws with a generator of each row's own fall as often as the scores say."""

import pytest
import torch

from normscope.judges.engines.local.reads import Draw, seed_of

LOGITS = torch.tensor([2.0, 1.0, 0.0, -1.0, -torch.inf])
ROWS = 4000


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_samples_fall_as_often_as_the_model_says(temperature: float) -> None:
    rows = torch.stack([Draw(temperature, seed)(LOGITS) for seed in range(ROWS)])
    chosen = rows.argmax(-1)
    seen = torch.bincount(chosen, minlength=5)
    expected = ROWS * (LOGITS / temperature).softmax(-1)
    assert seen[4] == 0
    # the upper 0.1 % point of chi-square with 3 degrees of freedom is 16.3
    assert float(((seen - expected)[:4] ** 2 / expected[:4]).sum()) < 16.3


def test_a_reply_draws_the_same_step_after_step() -> None:
    scores = torch.randn(50, generator=torch.Generator().manual_seed(0))
    one, other, cold = Draw(0.7, 6), Draw(0.7, 6), Draw(0.0, 7)
    steps = [one(scores) for _ in range(4)]
    assert all(torch.equal(step, other(scores)) for step in steps)
    assert not torch.equal(steps[0], steps[1])
    assert torch.equal(cold(scores), scores)  # temperature 0 has no noise


def test_a_generator_of_ones_own_leaves_the_worlds_alone() -> None:
    before = torch.random.get_rng_state()
    Draw(1.0, 1)(LOGITS)
    assert torch.equal(torch.random.get_rng_state(), before)


def test_the_seed_follows_from_the_runs_seed_and_the_prompt() -> None:
    seeds = [seed_of(1, (1, 23)), seed_of(1, (12, 3)), seed_of(11, (23,)), seed_of(1, (1, 23))]
    assert seeds[0] == seeds[3]
    assert len(set(seeds)) == 3
    assert all(0 <= seed < 1 << 32 for seed in seeds)
