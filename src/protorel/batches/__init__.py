"""From statements to batches of tokens: markers, masking, samplers, episodes."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.batches.episodes import Episodes, OpenEpisodes, draw_episodes, mix_outsiders, pair_groups
    from protorel.batches.layout import BLANK, Layout, StatementTokenizer, check_config
    from protorel.batches.markers import TokenRow, mark_statement
    from protorel.batches.masking import MaskedBatch, blank_entities, mask_tokens
    from protorel.batches.samplers import BalancedSampler, PooledBatches, ShuffledBatches, refuse_lone, rows_by_relation
    from protorel.batches.statement_batch import PairBatch, StatementBatch, collate, join_batches
    from protorel.batches.swaps import rename, swap_names, swap_roles
    from protorel.batches.token_cache import TrainingRows, training_rows
    from protorel.batches.token_rows import TokenRows, WordingRows, join_pairs, text_rows, tokenise_all, wording_rows

__all__ = [
    "BLANK",
    "BalancedSampler",
    "Episodes",
    "Layout",
    "MaskedBatch",
    "OpenEpisodes",
    "PairBatch",
    "PooledBatches",
    "ShuffledBatches",
    "StatementBatch",
    "StatementTokenizer",
    "TokenRow",
    "TokenRows",
    "TrainingRows",
    "WordingRows",
    "blank_entities",
    "check_config",
    "collate",
    "draw_episodes",
    "join_batches",
    "join_pairs",
    "mark_statement",
    "mask_tokens",
    "mix_outsiders",
    "pair_groups",
    "refuse_lone",
    "rename",
    "rows_by_relation",
    "swap_names",
    "swap_roles",
    "text_rows",
    "tokenise_all",
    "training_rows",
    "wording_rows",
]

__getattr__ = lazy_names(__name__)
