from .refusal import Refused as Refused
from .tables.encoding import Column as Column
from .tables.encoding import Encoding as Encoding
from .tables.opening import open_table as open_table
from .tables.store import Store as Store
from .tables.table import Block as Block
from .tables.table import Table as Table
