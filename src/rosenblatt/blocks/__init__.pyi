from .blocks import Blocks as Blocks
from .blocks import Here as Here
from .blocks import Place as Place
