"""Rows of logits, reduced to a few numbers on the device where they are. Needs torch."""

from __future__ import annotations

import torch

#: Logits below this count as this, so that 0 · log 0 stays 0.
_LEAST_LOGPROB = -1e18


def label_logprobs(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Log p of each row's label: [R, V] and [R] to [R]."""
    return logits.gather(-1, labels[:, None])[:, 0] - torch.logsumexp(logits, dim=-1)


def reduce_rows(logits: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Rows of logits [R, V] to log p of the label, mean and variance of log p, and the most likely token: [R] each."""
    argmax = logits.argmax(dim=-1)
    logprobs = torch.log_softmax(logits, dim=-1).clamp_(min=_LEAST_LOGPROB)
    label = logprobs.gather(-1, labels[:, None])[:, 0]
    probs = logprobs.exp()
    mean = (probs * logprobs).sum(dim=-1)
    var = logprobs.sub_(mean[:, None]).square_().mul_(probs).sum(dim=-1)
    return label, mean, var, argmax
