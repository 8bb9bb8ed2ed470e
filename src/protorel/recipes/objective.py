"""The objective of a recipe: the weight of each term, and the scale of each similarity."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from protorel.io import shown


class Frozen(BaseModel):
    """Immutable settings; unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Term(Frozen):
    """One term of equation 7; not computed if its weight is 0."""

    weight: float = Field(default=0.0, ge=0)


class ContrastTerm(Term):
    """A term over softmaxed similarities; `scale` is the inverse temperature."""

    scale: float = Field(default=20.0, gt=0)
    learn_scale: bool = False
    """Whether the scale is learned, starting from `scale`."""


class RuleTerm(ContrastTerm):
    """IND: each statement is weighted by its similarity to its relation's rule prototype."""

    patterns: int = Field(default=10, ge=1)
    """How many of a relation's patterns, the most frequent ones, are averaged into its rule prototype."""


class TextTerm(ContrastTerm):
    """Classifies a statement by the encoded wordings of relations."""

    wordings_per_step: Literal["all"] | int = "all"
    """How many wordings of each relation a step encodes: all, or this number, drawn at random in each step. They are of
    the same kinds for all relations: names, descriptions or generated statements."""

    @field_validator("wordings_per_step", mode="before")
    @classmethod
    def _all_or_a_number(cls, given: Any) -> Any:
        """Refuse anything but "all" and positive whole numbers, in one message."""
        if given == "all" or (isinstance(given, int) and not isinstance(given, bool) and given >= 1):
            return given
        raise ValueError(f"expected all or a whole number of at least 1, got {shown(given)}")


class PrototypeTerm(Term):
    """Equation 4 or 5, with the d of equation 2: σ(scale · cos + bias)."""

    scale: float = Field(default=10.0, gt=0)
    bias: float = -5.0
    learn_scale: bool = False
    """Whether scale and bias are learned, starting from these."""
    over_pairs: bool = False
    """Whether to sum over pairs, as printed, instead of averaging each side."""


class MatchingTerm(Term):
    """MTB's objective: which pairs of statements match, and the d that compares them."""

    scale: float = Field(default=10.0, gt=0)
    bias: float = -5.0
    learn_scale: bool = False
    match: Literal["pair", "relation"] = "pair"
    """Whether statements match by their two entities, as in MTB, or by their label."""


class MaskedLanguageTerm(Term):
    """The masked-language term, and the share of tokens that it hides."""

    rate: float = Field(default=0.15, ge=0, lt=1)
    passes: Literal[1, 2] = 1
    """With 2 the encoder reads each statement twice: complete for the relation, and with hidden words for this term."""


class ObjectiveSettings(Frozen):
    """Equation 7: a weighted sum, in the order of these fields.

    A new term is one field here, and one file with `@term` in `protorel.objectives` (see its `terms.py`).
    """

    reading: Literal["corrected", "literal", "released"] = "corrected"
    """How equations 2 to 6 are read: corrected by us, as printed, or as the authors' code computes them."""
    s2s: ContrastTerm = ContrastTerm()
    """Equation 3, between statements."""
    s2z: PrototypeTerm = PrototypeTerm()
    """Equation 4, a prototype among statements."""
    s2z_prime: PrototypeTerm = PrototypeTerm()
    """Equation 5, a statement among prototypes."""
    softmax: ContrastTerm = ContrastTerm()
    """The softmax form of equations 4 to 6."""
    ind: RuleTerm = RuleTerm()
    """S2S with statements weighted by rules, the IND baseline."""
    text: TextTerm = TextTerm()
    """A statement among the encoded names and descriptions of relations."""
    s2s_prime: MatchingTerm = MatchingTerm()
    """S2S', the objective of Matching the Blanks."""
    uniformity: Term = Term()
    """Prototypes spread evenly over the sphere."""
    cls: Term = Term()
    """Equation 6, prototypes alone."""
    ce: Term = Term()
    """Plain cross-entropy, the BERT_CE baseline."""
    mlm: MaskedLanguageTerm = MaskedLanguageTerm()
    """The masked-language term."""

    @model_validator(mode="after")
    def _nothing_without_effect(self) -> ObjectiveSettings:
        """Refuse a setting that the chosen reading does not use."""
        if self.reading == "released" and self.s2z_prime.weight:
            raise ValueError("the released code has no equation 5: leave s2z_prime at weight 0")
        if self.reading != "corrected":
            for name, term in (("s2s", self.s2s), ("s2z", self.s2z), ("s2z_prime", self.s2z_prime)):
                if given := sorted(_changed(term) - {"weight"}):
                    raise ValueError(f"{name}.{given[0]} has no effect with reading={self.reading}")
        return self


def _changed(term: Term) -> set[str]:
    """Return the names of a term's settings that differ from their defaults."""
    return {name for name, field in type(term).model_fields.items() if getattr(term, name) != field.default}
