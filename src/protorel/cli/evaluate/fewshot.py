"""`protorel evaluate fewshot`: few-shot accuracy with intervals."""

from __future__ import annotations

from protorel.cli.checks import check_data_files, check_files, check_results
from protorel.cli.evaluate import fewshot_options as options
from protorel.cli.output import say_note


def fewshot(
    run: options.Run,
    data: options.Data,
    way: options.Way = 5,
    shot: options.Shot = 1,
    episodes: options.EpisodeCount = None,
    seed: options.Seed = 0,
    method: options.Method = None,
    similarity: options.SimilarityName = None,
    apart_pairs: options.ApartPairs = False,
    descriptions: options.DescriptionFile = None,
    text_weight: options.TextWeight = None,
    phrase: options.Phrase = None,
    none_share: options.NoneShare = None,
    threshold_from: options.ThresholdFrom = None,
    wanted_error: options.WantedError = None,
    readout: options.Readout = None,
    marker_start: options.Markers = "brackets",
    background: options.BackgroundFile = None,
    crowd: options.CrowdFile = None,
    only: options.Only = None,
    equivalents: options.EquivalentsFile = None,
    format: options.Format = None,
    json: options.JsonFile = None,
) -> None:
    """Few-shot accuracy on relations that the run need not know."""
    from protorel.model import ModelSource

    source = ModelSource.find(run)
    check_data_files(data, threshold_from, background, crowd, format=format)
    check_files(descriptions, equivalents)
    check_results(json)
    from protorel.evaluation import NoneSettings, TextSettings, few_shot_settings
    from protorel.statements import load_equivalents, relation_list

    if only is not None:
        relation_list(only)
    texts = TextSettings.given(descriptions, weight=text_weight, phrase=phrase)
    meanings = load_equivalents(equivalents)
    from protorel.corpora import open_data

    held_out = open_data(threshold_from, format=format) if threshold_from else None
    none = NoneSettings.given(none_share, held_out=held_out, wanted_error=wanted_error)
    few_shot_settings(
        source,
        way=way,
        shot=shot,
        episodes=episodes,
        seed=seed,
        method=method,
        similarity=similarity,
        texts=texts,
        none=none,
        background=background,
        crowd=crowd,
    )
    from protorel.cli.console import Console
    from protorel.cli.judging_progress import JudgingProgress
    from protorel.evaluation import judge_few_shot  # torch is loaded when all that was given is checked
    from protorel.io import write_json

    with JudgingProgress(Console(stderr=True)) as progress:
        judged = judge_few_shot(
            source,
            open_data(data, format=format),
            way=way,
            shot=shot,
            episodes=episodes,
            seed=seed,
            method=method,
            similarity=similarity,
            apart_pairs=apart_pairs,
            readout=readout,
            marker_start=marker_start,
            background=open_data(background, format=format) if background else None,
            crowd=open_data(crowd, format=format) if crowd else None,
            only=only,
            equivalents=meanings,
            texts=texts,
            none=none,
            watch=progress,
        )
    if json is not None:
        write_json(json, judged.as_json)
    for note in judged.notes:
        say_note(note)
    console = Console()
    console.print(f"{judged.result}; over relations {judged.result.over_relations}", highlight=False, soft_wrap=True)
    if judged.none_of_these is not None:
        console.print(str(judged.none_of_these), highlight=False, soft_wrap=True)
