"""A classifier on top of an encoder: one score per label for each statement's vector."""

from __future__ import annotations

from pathlib import Path

import torch
from jaxtyping import Float
from pydantic import BaseModel, Field
from safetensors.torch import save_file
from torch import Tensor, nn

from protorel.encoders import best_of, load_module
from protorel.io import READ_BACK, as_path, kind, read_model, write_json
from protorel.model.run_record import CLASSIFIER, Count, Size
from protorel.statements import BadInput, RelationVocabulary

_LABELS = "classifier.json"


class _Sizes(BaseModel):
    """The contents of classifier.json."""

    model_config = READ_BACK

    labels: list[str]
    no_relation: str | None
    width: Size
    hidden: Count
    dropout: float = Field(ge=0, lt=1)


class Classifier(nn.Module):
    """The paper's algorithm 1: softmax(Ws + b), with dropout before it and an optional hidden layer.

    Args:
        labels: The labels it answers with.
        width: Width of the encoder's vectors.
        hidden: Width of the hidden layer; 0 for none.
        dropout: Share of values dropped before each layer while it learns.
        no_relation: The label that says that no relation holds, if there is one.
        seed: Random seed for the initial weights.

    Raises:
        BadInput: `labels` is not a `RelationVocabulary`.

    >>> import torch
    >>> from protorel import Classifier, RelationVocabulary
    >>> classifier = Classifier(RelationVocabulary(["born_in", "spouse"]), width=8)
    >>> classifier(torch.zeros(3, 8)).shape
    torch.Size([3, 2])
    >>> len(classifier.answers(torch.zeros(3, 8)))
    3
    """

    def __init__(
        self,
        labels: RelationVocabulary,
        width: int,
        *,
        hidden: int = 0,
        dropout: float = 0.1,
        no_relation: str | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        if not isinstance(labels, RelationVocabulary):
            raise BadInput(f"labels: expected a RelationVocabulary, got {kind(labels)}")
        self.labels, self.width, self.hidden, self.no_relation = labels, width, hidden, no_relation
        self.dropout = nn.Dropout(dropout)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.inner = nn.Linear(width, hidden) if hidden else None
            self.outer = nn.Linear(hidden or width, len(labels))

    def forward(self, vectors: Float[Tensor, "statements width"]) -> Float[Tensor, "statements labels"]:
        """Return the logits of every label, given vectors as the encoder made them: their length counts."""
        if self.inner is not None:
            vectors = torch.tanh(self.inner(self.dropout(vectors)))
        logits: Tensor = self.outer(self.dropout(vectors))
        return logits

    @torch.no_grad()
    def answers(self, vectors: Float[Tensor, "statements width"]) -> list[str]:
        """Return the most probable label of each statement.

        Raises:
            BadInput: `vectors` are not those of an encoder of this width, or a score is not finite.
        """
        if not isinstance(vectors, Tensor) or vectors.dim() != 2 or vectors.shape[1] != self.width:
            found = f"the shape {tuple(vectors.shape)}" if isinstance(vectors, Tensor) else kind(vectors)
            raise BadInput(f"vectors: expected a tensor with rows of width {self.width}, got {found}")
        ids = self.labels.ids
        was_training = self.training
        self.eval()
        best = best_of(self(vectors), "statements").tolist()
        self.train(was_training)
        return [ids[index] for index in best]

    def save(self, folder: Path | str) -> None:
        """Write the weights, and a file with labels and sizes, into a folder that exists."""
        folder = as_path(folder, "folder", expected="a folder")
        save_file({name: tensor.cpu().contiguous() for name, tensor in self.state_dict().items()}, folder / CLASSIFIER)
        write_json(
            folder / _LABELS,
            {
                "labels": list(self.labels.ids),
                "no_relation": self.no_relation,
                "width": self.width,
                "hidden": self.hidden,
                "dropout": self.dropout.p,
            },
        )

    @classmethod
    def load(cls, folder: Path | str) -> Classifier:
        """Read what `save` wrote.

        Raises:
            BadInput: A file is missing or damaged, or the files do not fit each other.
        """
        folder = as_path(folder, "folder", expected="a folder")
        sizes = read_model(folder / _LABELS, _Sizes)
        try:
            labels = RelationVocabulary(sizes.labels)
        except ValueError as problem:
            raise BadInput(f"{folder / _LABELS}: {problem}") from problem

        def make() -> Classifier:
            return cls(labels, sizes.width, hidden=sizes.hidden, dropout=sizes.dropout, no_relation=sizes.no_relation)

        return load_module(make, folder / CLASSIFIER, sizes=_LABELS).eval()
