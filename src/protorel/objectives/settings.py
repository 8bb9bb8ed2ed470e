"""What a recipe says about its objective: the weight of each term, and the scale of each similarity."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """Settings that cannot change once read, and refuse a key they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Term(Frozen):
    """One term of equation 7; with weight 0 it is not computed."""

    weight: float = Field(default=0.0, ge=0)


class ContrastTerm(Term):
    """A term over softmaxed similarities: `scale` is one over the temperature."""

    scale: float = Field(default=20.0, gt=0)


class PrototypeTerm(Term):
    """Equation 4 or 5, with the d of equation 2: σ(scale · cos + bias)."""

    scale: float = Field(default=10.0, gt=0)
    bias: float = -5.0
    over_pairs: bool = False
    """Equation 4 summed over pairs as printed, not averaged on each side."""


class MaskedLanguageTerm(Term):
    """The masked-language term and the share of tokens it hides."""

    rate: float = Field(default=0.15, ge=0, lt=1)


class ObjectiveSettings(Frozen):
    """Equation 7: a weighted sum."""

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
