"""What a recipe says about its objective: the weight of each term, and the scale of each similarity."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from protorel.io import shown


class Frozen(BaseModel):
    """Settings that cannot change once read, and refuse a key they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


class Term(Frozen):
    """One term of equation 7; with weight 0 it is not computed."""

    weight: float = Field(default=0.0, ge=0)


class ContrastTerm(Term):
    """A term over softmaxed similarities: `scale` is one over the temperature."""

    scale: float = Field(default=20.0, gt=0)
    learn_scale: bool = False
    """Whether the scale is learned too, from the one given."""


class RuleTerm(ContrastTerm):
    """IND: a statement counts by its similarity to its relation's rule prototype."""

    patterns: int = Field(default=10, ge=1)
    """How many of a relation's patterns, those that match most, are averaged into its rule prototype."""


class TextTerm(ContrastTerm):
    """A statement among the encoded wordings of relations."""

    wordings_per_step: Literal["all"] | int = "all"
    """How many wordings of each relation a step encodes: all, or this many, drawn at random in each step, of the same
    kinds for all relations: names, descriptions or made-up statements."""

    @field_validator("wordings_per_step", mode="before")
    @classmethod
    def _all_or_a_number(cls, given: Any) -> Any:
        """Refuse anything but "all" and whole numbers from 1 on, in one message."""
        if given == "all" or (isinstance(given, int) and not isinstance(given, bool) and given >= 1):
            return given
        raise ValueError(f"expected all or a whole number of at least 1, got {shown(given)}")


class PrototypeTerm(Term):
    """Equation 4 or 5, with the d of equation 2: σ(scale · cos + bias)."""

    scale: float = Field(default=10.0, gt=0)
    bias: float = -5.0
    learn_scale: bool = False
    """Whether scale and bias are learned too, from those given."""
    over_pairs: bool = False
    """Summed over pairs as printed, not averaged on each side."""


class MatchingTerm(Term):
    """MTB's objective: which pairs of statements match, and the d by which they are compared."""

    scale: float = Field(default=10.0, gt=0)
    bias: float = -5.0
    learn_scale: bool = False
    match: Literal["pair", "relation"] = "pair"
    """Statements match by their two entities, which is MTB's rule, or by their label."""


class MaskedLanguageTerm(Term):
    """The masked-language term and the share of tokens it hides."""

    rate: float = Field(default=0.15, ge=0, lt=1)
    passes: Literal[1, 2] = 1
    """With 2 the encoder reads each statement twice: whole for the relation, and with hidden words for this term."""


class ObjectiveSettings(Frozen):
    """Equation 7: a weighted sum."""

    reading: Literal["corrected", "literal", "released"] = "corrected"
    """How equations 2 to 6 are read: our way, as printed, or as the authors' code behaves."""
    s2s: ContrastTerm = ContrastTerm()
    """Equation 3, between statements."""
    s2z: PrototypeTerm = PrototypeTerm()
    """Equation 4, a prototype among statements."""
    s2z_prime: PrototypeTerm = PrototypeTerm()
    """Equation 5, a statement among prototypes."""
    cls: Term = Term()
    """Equation 6, prototypes alone."""
    mlm: MaskedLanguageTerm = MaskedLanguageTerm()
    softmax: ContrastTerm = ContrastTerm()
    """The softmax form of equations 4 to 6."""
    ce: Term = Term()
    """Plain cross-entropy, the BERT_CE baseline."""
    s2s_prime: MatchingTerm = MatchingTerm()
    """S2S', the objective of Matching the Blanks."""
    ind: RuleTerm = RuleTerm()
    """S2S with statements weighted by rules, the IND baseline."""
    text: TextTerm = TextTerm()
    """A statement among the encoded names and descriptions of relations."""
    uniformity: Term = Term()
    """Prototypes spread evenly over the ball."""

    @model_validator(mode="after")
    def _nothing_without_effect(self) -> ObjectiveSettings:
        """Refuse a setting that the chosen reading does not look at."""
        if self.reading == "released" and self.s2z_prime.weight:
            raise ValueError("the released code has no equation 5: leave s2z_prime at weight 0")
        if self.reading != "corrected":
            for name, term in (("s2s", self.s2s), ("s2z", self.s2z), ("s2z_prime", self.s2z_prime)):
                if given := sorted(_changed(term) - {"weight"}):
                    raise ValueError(f"{name}.{given[0]} has no effect with reading={self.reading}")
        return self


def _changed(term: Term) -> set[str]:
    """Return the settings of a term that are not what they are by default."""
    return {name for name, field in type(term).model_fields.items() if getattr(term, name) != field.default}
