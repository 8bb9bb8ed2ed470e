"""The registry of few-shot methods: what each needs and where its code is. Commands check names by it, without torch.

A new method is one file and one line: the file holds the code, the line is an entry of `METHODS` or a call of
`register_method`. Nothing else in the library names a method.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from protorel.io import BadInput

if TYPE_CHECKING:
    from protorel.fewshot.method_settings import MethodSettings

Needs = Literal["vectors", "states", "pairs", "encoder"]
"""What a method reads: the vector of each statement, the states of its tokens, each query encoded together with each
example, or the encoder itself."""
EPISODES, SLOW_EPISODES = 10_000, 100
"""How many episodes are evaluated by default, by a fast method and by a slow one."""


@dataclass(frozen=True, slots=True)
class FewShotMethod:
    """One few-shot method. Its code is imported when it is first used."""

    name: str
    needs: Needs
    code: Any
    """`"module:attribute"`, or the object itself: a `VectorMethod`, for a trainable method a subclass of
    `EpisodeMethod`, and for one that needs the encoder an `EncoderMethod`."""
    settings: Any = None
    """For a trainable method: its `MethodSettings` class, or where that is, as `"module:attribute"`."""
    takes_texts: bool = False
    """Whether it can use relation texts next to examples, or instead of them."""
    takes_similarity: bool = False
    """Whether it is a rule over similarities, so that a recipe can name it as `combine`."""
    takes_hubness: bool = False
    """Whether a class is a single direction, which the hubness correction needs."""
    why_slow: str | None = None
    """Why an episode takes seconds; None for a fast method."""

    @property
    def trainable(self) -> bool:
        """Whether it has weights of its own, which a recipe trains together with the encoder."""
        return self.settings is not None

    @property
    def reads_stored_vectors(self) -> bool:
        """Whether it works on the vectors of any encoder, with no training of its own."""
        return self.needs == "vectors" and not self.trainable

    @property
    def default_episodes(self) -> int:
        """The number of episodes that are evaluated by default."""
        return EPISODES if self.why_slow is None else SLOW_EPISODES

    def load(self) -> Any:
        """Import the code."""
        return _imported(self.code)

    def settings_class(self) -> type[MethodSettings]:
        """Import the class of a trainable method's settings."""
        found: type[MethodSettings] = _imported(self.settings)
        return found


def _rule(name: str, *, full: bool = False) -> FewShotMethod:
    code = f"protorel.fewshot.vector_methods:{name}"
    return FewShotMethod(name, "vectors", code, takes_similarity=True, takes_texts=full, takes_hubness=full)


_SETTINGS = "protorel.fewshot.method_settings"
METHODS: dict[str, FewShotMethod] = {
    method.name: method
    for method in (
        _rule("prototype", full=True),
        _rule("mean"),
        _rule("nearest"),
        FewShotMethod("linear_probe", "vectors", "protorel.fewshot.linear_probe:linear_probe", takes_texts=True),
        FewShotMethod("tuned_head", "vectors", "protorel.fewshot.tuned_head:tuned_head"),
        FewShotMethod(
            "setfit", "encoder", "protorel.fewshot.setfit:SETFIT", why_slow="setfit tunes the encoder in each"
        ),
        FewShotMethod("gnn", "vectors", "protorel.fewshot.gnn:GNN", f"{_SETTINGS}:GNNSettings"),
        FewShotMethod(
            "meta_network", "vectors", "protorel.fewshot.meta_network:MetaNetwork", f"{_SETTINGS}:MetaNetworkSettings"
        ),
        FewShotMethod("mlman", "states", "protorel.fewshot.mlman:MLMAN", f"{_SETTINGS}:MLMANSettings"),
        FewShotMethod(
            "pair",
            "pairs",
            "protorel.fewshot.pair:Pair",
            f"{_SETTINGS}:PairSettings",
            why_slow="pair encodes each query again with each example",
        ),
        FewShotMethod("siamese", "vectors", "protorel.fewshot.siamese:Siamese", f"{_SETTINGS}:SiameseSettings"),
        FewShotMethod("snail", "vectors", "protorel.fewshot.snail:SNAIL", f"{_SETTINGS}:SNAILSettings"),
    )
}
"""All few-shot methods by name."""


def register_method(method: FewShotMethod) -> None:
    """Add a method to the registry, or replace the one of that name."""
    METHODS[method.name] = method


def find_method(name: str | FewShotMethod) -> FewShotMethod:
    """Look a method up by name; a method itself is returned as it is.

    Raises:
        BadInput: There is no method of that name.
    """
    if isinstance(name, FewShotMethod):
        return name
    if name not in METHODS:
        raise BadInput(f"method: expected one of {', '.join(METHODS)}, got {name!r}")
    return METHODS[name]


def stored_vector_methods() -> dict[str, FewShotMethod]:
    """Return the methods that work on stored vectors, by name."""
    return {name: method for name, method in METHODS.items() if method.reads_stored_vectors}


def trainable_methods() -> dict[str, FewShotMethod]:
    """Return the methods that a recipe can train, by name."""
    return {name: method for name, method in METHODS.items() if method.trainable}


def _imported(place: Any) -> Any:
    if not isinstance(place, str):
        return place
    module, attribute = place.split(":")
    return getattr(import_module(module), attribute)
