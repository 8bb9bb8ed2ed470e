"""A model on the Hugging Face hub: upload, model card, and the refusal that sentence-transformers shows."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from huggingface_hub import HfApi, ModelHubMixin

from protorel.io import printable
from protorel.model.run_record import RunRecord
from protorel.statements import BadInput

if TYPE_CHECKING:
    from protorel.model.answers.training_statements import TrainingStatements

CARD = "README.md"
"""The model card of a folder on the hub."""
MODULES = "modules.json"
"""The file that tells sentence-transformers how to build a model.

Without it, sentence-transformers would average all tokens, and return other vectors than the run.
"""
MOST_NAMES = 100
"""How many relations a card names."""
_LOGGER = logging.getLogger("protorel")
_LONGEST = 200
"""The longest name in a card; longer ones are cut."""
_CARD = """\
---
library_name: protorel
tags:
- relation-extraction
- model_hub_mixin
---
# {title}

A relation model: `{kind}` encoder, vectors of width {width}, prototypes of {relations} relations.

```python
from protorel import RelationModel

model = RelationModel.from_pretrained("{title}")
```

- Relations: {names}
- Data: {data}
- Test sets that were removed from the training data: {test_sets}
- Licence: not given. Set `license` at the top of this file.
"""


class HubModel(ModelHubMixin):
    """The hub's mixin, reduced to `push_to_hub`.

    The mixin's `save_pretrained` removes `config.json` before it writes, and its `from_pretrained` turns the content of
    that file into arguments. So a model defines both itself.
    """

    training_statements: TrainingStatements | None

    def __new__(cls, *_: object, **__: object) -> Self:
        """Return an empty instance: the mixin would keep the arguments as the content of config.json."""
        return object.__new__(cls)

    def push_to_hub(
        self,
        repo_id: str,
        *,
        private: bool | None = None,
        token: str | None = None,
        training_statements: bool = False,
        **options: Any,
    ) -> str:
        """Upload the model to the Hugging Face hub, with a model card unless the repository has one.

        Training statements that the run keeps are left out, and the logger `protorel` says so.

        Args:
            repo_id: The repository, such as `owner/name`; created if it does not exist.
            private: Whether a new repository is private.
            token: The access token; by default the one of `hf auth login`.
            training_statements: Upload the training statements too. Check that you may publish them.
            options: Passed on to `ModelHubMixin.push_to_hub`, such as `commit_message`, `branch` and `create_pr`.

        Returns:
            The address of the commit.
        """
        api = HfApi(token=token)
        repo_id = api.create_repo(repo_id, private=private, exist_ok=True).repo_id
        model = self
        if self.training_statements is not None and not training_statements:
            model = self.without_statements()
            _LOGGER.warning(
                "%s: the run's %d training statements are not uploaded. push_to_hub(..., training_statements=True) "
                "uploads them",
                repo_id,
                len(self.training_statements),
            )
        card = None if api.file_exists(repo_id, CARD, revision=options.get("branch")) else {"title": repo_id}
        return super(HubModel, model).push_to_hub(
            repo_id, private=private, token=token, model_card_kwargs=card, **options
        )

    def without_statements(self) -> Self:
        """Return the same model without the training statements that the run keeps."""
        raise NotImplementedError

    @classmethod
    def load(cls, name: Any, **options: Any) -> Self:
        """Load a model; deprecated, use `from_pretrained`."""
        warnings.warn("RelationModel.load is now RelationModel.from_pretrained", FutureWarning, stacklevel=2)
        return cls.from_pretrained(name, **options)

    def save(self, folder: str | Path, **options: Any) -> None:
        """Write the model; deprecated, use `save_pretrained`."""
        warnings.warn("RelationModel.save is now RelationModel.save_pretrained", FutureWarning, stacklevel=2)
        self.save_pretrained(folder, **options)


def modules() -> list[dict[str, Any]]:
    """Return the content of `modules.json`, which names `SentencesRefused`."""
    return [{"idx": 0, "name": "0", "path": "", "type": "protorel.model.SentencesRefused"}]


class SentencesRefused:
    """The module that sentence-transformers finds in a run folder: it refuses to load.

    A run reads statements, which are texts with two marked entities. Sentences would get other vectors.
    """

    @classmethod
    def load(cls, *_: object, **__: object) -> NoReturn:
        """Raise `BadInput`.

        Raises:
            BadInput: Always; it names the class to use.
        """
        raise BadInput(
            "expected an encoder of sentences, got a run of protorel, which reads statements: texts with two entities. "
            "Load it with protorel.RelationModel.from_pretrained"
        )


def card_text(title: str, kind: str, width: int, relations: Sequence[str], record: RunRecord | None) -> str:
    """Return the model card of a run in Markdown, with facts from the record only."""
    names = ", ".join(map(_code, relations[:MOST_NAMES])) or "none"
    if len(relations) > MOST_NAMES:
        names += f" and {len(relations) - MOST_NAMES} more"
    data, leakage = (None, None) if record is None else (record.data, record.leakage)
    trained_on = "not recorded"
    if data is not None:
        trained_on = f"{data.statements:,} statements of {data.relations:,} relations"
        trained_on += f", fingerprint {_code(data.fingerprint)}" if data.fingerprint else ""
    removed = [_code(one.name) for one in leakage.apart_from] if leakage is not None else []
    return _CARD.format(
        title=printable(title, longest=_LONGEST),
        kind=printable(kind),
        width=width,
        relations=len(relations),
        names=names,
        data=trained_on,
        test_sets=", ".join(removed) or "none recorded",
    )


def _code(text: str) -> str:
    """Return text as code in Markdown: nothing in it is read as Markdown."""
    return f"`{printable(text, longest=_LONGEST).replace('`', chr(39))}`"
