from .encoding import Column as Column
from .encoding import Encoding as Encoding
from .opening import open_table as open_table
from .refusal import Refused as Refused
from .store import Store as Store
from .table import Block as Block
from .table import Table as Table
