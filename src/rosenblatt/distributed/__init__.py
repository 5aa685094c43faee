"""Data larger than a machine: the same learners and verdicts on a Dask cluster.

Dask schedules, moves and recovers; this folder has only the algorithm. The rows stay in shards on the workers. Between
passes only w and a few numbers a shard travel. The result depends on the shards alone: never on the number of workers,
their speed, or which of them died.
"""

from rosenblatt.blocks import connect, cut
from rosenblatt.distributed.deciding import separability, verify
from rosenblatt.distributed.mixing import MixedTrace
from rosenblatt.distributed.prediction import answers_on as answers_on
from rosenblatt.distributed.prediction import predict
from rosenblatt.distributed.training import ShardedTableFit as ShardedTableFit
from rosenblatt.distributed.training import fit

__all__ = ["MixedTrace", "connect", "cut", "fit", "predict", "separability", "verify"]
