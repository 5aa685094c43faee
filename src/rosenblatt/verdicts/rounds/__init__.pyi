from .hashing import begin_digest as begin_digest
from .hashing import old_digest as old_digest
from .point_set import GivenRows as GivenRows
from .point_set import PointSet as PointSet
from .rounds import ByRounds as ByRounds
from .rounds import Rounds as Rounds
