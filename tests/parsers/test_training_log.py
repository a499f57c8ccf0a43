"""A large training log is read by layouts, a small one line by line: both give the same facts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator

import pytest

from diagnostics.evidence import Evidence
from diagnostics.evidence.training import NonFiniteValue, TrainingSteps
from diagnostics.parsers import _step_scan, training_log
from diagnostics.text import Text


def plain(dice: random.Random) -> Iterator[str]:
    for step in range(400):
        loss = "nan" if 300 < step < 320 else f"{9 - step / 50:.4f}"
        yield f"2026-11-29 23:58:{step % 60:02},{step:03} INFO train: step {step} | loss {loss} | lr {step * 1e-5:.2e} | {dice.randrange(900, 120000):,} tok/s"


def ranks(dice: random.Random) -> Iterator[str]:
    for step in range(200):
        for rank in dice.sample(range(4), 4):
            yield f"[rank{rank}]: 2026-11-30T00:00:01+02:00 step {step} loss {dice.random():.6f} dt: {dice.randrange(90, 1200)}.12ms"


def restarted(dice: random.Random) -> Iterator[str]:
    for first in (0, 120, 60):
        yield f"2026-11-29 12:00:00 + python train.py --resume {first}"
        yield "loading the data, 12 shards"
        yield from (
            f"iteration {step:8}/  9000 | elapsed time per iteration (ms): {dice.random() * 900:.1f} | lm loss: {dice.random():.6E} |"
            for step in range(first, first + 150)
        )


def bars(dice: random.Random) -> Iterator[str]:
    for step in range(100):
        yield f"  3%|▎ | {step}/4000 [10:02<5:24:41,  5.02s/it]\r  3%|▎ | {step + 1}/4000 [10:02<5:24:41,  5.02s/it]"
        yield f"{{'loss': {dice.random():.4f}, 'grad_norm': {dice.choice(['nan', '0.5', 'inf'])}, 'epoch': 0.1{step}}}"


def negative(dice: random.Random) -> Iterator[str]:
    for step in range(300):
        yield f"step={step} loss={dice.uniform(-3, 3):.3f} lr={dice.uniform(0, 1e-9):.3e} time=0.{step:03}s"


WRITERS = (plain, ranks, restarted, bars, negative)


def bar(step: int, of: int, after: str = "") -> str:
    """A state of tqdm's bar."""
    eighths = 80 * step // of
    fill = ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]).ljust(10)[:10]
    return f"{100 * step // of:3}%|{fill}| {step}/{of} [{step // 60:02}:{step % 60:02}<1:10:02, {9 + step % 20 / 10:.2f}it/s{after}]"


def one_line(dice: random.Random) -> Iterator[str]:
    """Bars that say the loss, rewritten without ever a line end."""
    yield "".join(f"\r[rank1]:Epoch 0: {bar(step, 700, f', loss={dice.random():.3f}')}" for step in range(700))


def shared_line(dice: random.Random) -> Iterator[str]:
    """The steps' losses between the states of a bar that says none."""
    for step in range(10, 700, 10):
        states = (f"\r{bar(each, 700)}" for each in range(step - 10, step))
        yield "".join(
            [*states, f"\r{' ' * 60}\r{{'loss': {dice.random():.4f}, 'grad_norm': 0.5, 'epoch': 0.{step:03}}}"]
        )


def coloured(dice: random.Random) -> Iterator[str]:
    for step in range(200):
        yield f"\x1b[32m2026-11-29 12:01:{step % 60:02}\x1b[0m INFO step {step} loss {dice.random():.4f} lr 3.0e-4\x1b[0m "


TOGETHER = (*WRITERS, one_line, shared_line, coloured)  # which also put several messages into one line


def shown(facts: list[Evidence]) -> list[str]:
    """Facts with their columns, as text: NaN equals itself there."""
    return [
        repr(fact)
        + (
            repr({name: list(column) for name, column in fact.columns.items()}) + repr(fact.quotes)
            if isinstance(fact, TrainingSteps)
            else ""
        )
        for fact in facts
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("writer", TOGETHER)
def test_layouts_and_single_lines_agree(writer, end: str, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(_step_scan, "BLOCK", 5000)
    lines = list(writer(random.Random(7)))
    text = Text("train.log", end.join([*lines, lines[-1][:40]]).encode())
    together = list(_step_scan.scan(text, training_log.STEP, training_log.START))
    assert any(isinstance(fact, TrainingSteps) for fact in together)
    assert shown(together) == shown(list(training_log.read_singly(text)))


@pytest.mark.parametrize("writer", [one_line, shared_line, coloured])
def test_few_lines_are_read_singly(writer, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """What rewrites its line or is in colour is read by layouts as any other line is."""
    text = Text("train.log", "\n".join(writer(random.Random(7))).encode())
    singly = []
    peel = _step_scan.message
    monkeypatch.setattr(_step_scan, "message", lambda line: singly.append(line) or peel(line))
    steps = list(training_log.scan(text, training_log.STEP, training_log.START))
    messages = text.content.count("\r") + text.content.count("\n")
    assert steps and len(singly) < messages / 4


def test_a_loss_that_is_nan_in_the_second_run_only() -> None:
    lines = [
        "+ python train.py",
        "step 1 | loss 2.0",
        "step 2 | loss 1.5",
        "+ python train.py",
        "step 1 | loss 2.0",
        "step 2 | loss nan",
    ]
    facts = list(training_log.read_singly(Text("train.log", "\n".join(lines).encode())))
    assert [(fact.source.line, fact.step) for fact in facts if isinstance(fact, NonFiniteValue)] == [(6, 2)]


def test_a_large_log_is_read_by_layouts() -> None:
    lines = "".join(f"step {step} | loss 2.0 | {step % 7}00 tok/s {'x' * 100}\n" for step in range(12_000))
    text = Text("train.log", lines.encode())
    assert training_log.is_large(text)
    (fact,) = training_log.PARSER.read(text)
    assert isinstance(fact, TrainingSteps)
    assert (fact.steps, fact.first_step, fact.last_step) == (12_000, 0, 11_999)
    assert fact.columns["step"][5] == 5 and math.isclose(fact.columns["tokens_per_s"][6], 600)
    assert all(quote == lines.split("\n")[number - 1] for number, quote in fact.quotes.items())
