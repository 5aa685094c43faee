from .trainer import METHODS as METHODS
from .trainer import FittedProbes as FittedProbes
from .trainer import Trainer as Trainer
