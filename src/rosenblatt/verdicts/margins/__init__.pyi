from .margin import Margin as Margin
from .margin import Margins as Margins
from .margin import Unproved as Unproved
from .margin import both_margins as both_margins
from .margin import widest_margin as widest_margin
from .meeting import meeting_of as meeting_of
from .nearest import Nearest as Nearest
