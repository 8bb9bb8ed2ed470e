"""What a caption says of a star map."""

from __future__ import annotations

from protorel_paper.drawing.captioned_figure import percent
from protorel_paper.figures.relation_space import RelationSpace
from protorel_paper.figures.star_map import StarMap
from protorel_paper.figures.star_map_drawing import known_wrong


def star_words(space: RelationSpace) -> str:
    """Say what the stars and the hollow marks are."""
    if space.learned:
        stars = "Stars are the prototypes of the run."
    else:
        stars = "The run knows none of these relations: a star is the mean of the statements shown."
    wrong = int(known_wrong(space).sum())
    return f"{stars} Hollow marks: {wrong} statements whose label is known to be wrong." if wrong else stars


def belief_words(found: StarMap, *, seed: int) -> str:
    """Say how the map was made, and what it keeps."""
    told = found.as_json()
    belief = found.belief
    return (
        f"Statements and stars were laid out together by t-SNE (perplexity {told['perplexity']:g}, start from "
        f"principal components, seed {seed}). Of each point's ten nearest in the space, "
        f"{percent(belief.neighbours_kept)} are among its ten nearest here. The nearest prototype is that of the label "
        f"for {percent(belief.own_in_space)} of the statements in the space, and for {percent(belief.own_on_map)} on "
        "the map. Distances between far groups, and the size of groups, mean nothing."
    )
