from .active_set import Nearest as Nearest
from .margin import Margin as Margin
from .margin import Margins as Margins
from .margin import Unproved as Unproved
from .margin import both_margins as both_margins
from .margin import meeting_of as meeting_of
from .margin import widest_margin as widest_margin
