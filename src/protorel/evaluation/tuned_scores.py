"""Episodes answered by an encoder that is tuned in each of them, and is as it was before the next begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from protorel.batches import Episodes, tokenise_all
from protorel.evaluation.learned_scores import EpisodeWatcher
from protorel.fewshot import EncoderMethod, FewShotMethod
from protorel.model import RelationModel
from protorel.statements import BadInput, Statement


def tuned_scores(
    model: RelationModel,
    method: FewShotMethod,
    statements: Sequence[Statement],
    drawn: Episodes,
    *,
    seed: int,
    watch: EpisodeWatcher | None = None,
) -> Float[Tensor, "episodes query way"]:
    """Score every way for every query; what an episode gives follows from the seed and its own examples alone."""
    encoder = model.encoder
    if not isinstance(encoder, nn.Module) or not any(weights.requires_grad for weights in encoder.parameters()):
        raise BadInput(f"{model.name or 'the encoder'}: has no weights that {method.name} could tune in an episode")
    tuner: EncoderMethod = method.load()
    rows = tokenise_all(statements, model.tokenizer, max_length=model.max_length)
    scores = []
    for done, (support, query) in enumerate(zip(drawn.support, drawn.query, strict=True), start=1):
        own_seed = int(np.random.SeedSequence([seed, *support.ravel().tolist()]).generate_state(1)[0])
        with left_as_it_was(encoder):
            tuner.tune(encoder, rows, support, seed=own_seed)
            vectors = model.encode_rows(rows, indices=[*support.ravel(), *query])
        examples, asked = vectors[: support.size].reshape(*support.shape, -1), vectors[support.size :]
        scores.append(tuner.score(examples, asked))
        if watch is not None:
            watch(done, len(drawn))
    return torch.stack(scores)


@contextmanager
def left_as_it_was(module: nn.Module) -> Iterator[None]:
    """Give a module its weights back at the end of a block, whatever became of them in it."""
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    was_training = module.training
    try:
        yield
    finally:
        module.load_state_dict(before)
        module.train(was_training)
