from .training import Deal as Deal
from .training import Team as Team
from .training import Tick as Tick
from .training import Trained as Trained
from .training import run as run
