"""From statements to batches of tokens: markers, masking, blanking, balanced sampling, episodes."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.batches.balanced import BalancedSampler, refuse_lone, rows_by_relation
    from protorel.batches.blanks import blank_entities
    from protorel.batches.entity_pairs import pair_groups
    from protorel.batches.episodes import Episodes, draw_episodes
    from protorel.batches.layout import BLANK, Layout, StatementTokenizer, check_config
    from protorel.batches.markers import TokenRow, mark_statement
    from protorel.batches.masking import MaskedBatch, mask_tokens
    from protorel.batches.outsiders import OpenEpisodes, mix_outsiders
    from protorel.batches.shuffled import ShuffledBatches
    from protorel.batches.statement_batch import StatementBatch, collate, join_batches
    from protorel.batches.statement_pairs import PairBatch, join_pairs
    from protorel.batches.swaps import rename, swap_names
    from protorel.batches.texts import WordingRows, text_rows, wording_rows
    from protorel.batches.token_cache import TrainingRows, training_rows
    from protorel.batches.token_rows import TokenRows, tokenise_all

__all__ = [
    "BLANK",
    "BalancedSampler",
    "Episodes",
    "Layout",
    "MaskedBatch",
    "OpenEpisodes",
    "PairBatch",
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
    "text_rows",
    "tokenise_all",
    "training_rows",
    "wording_rows",
]

__getattr__ = lazy_names(__name__)
