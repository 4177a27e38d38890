"""What a price file may hold. Each limit is named in the sentence that refuses what is over it."""

import datetime as dt
from decimal import Decimal

from calculator import exactjson

FILE_BYTES = 20_000_000
ROWS = 100_000
"""Rows that are not blank, the header left out."""
COLUMNS = 120
WORKBOOK_CELLS = 3_000_000
"""Cells of a workbook that hold something, in the rows that are read."""
CELL_CHARACTERS = 4_000
PARTS = 2_000
"""Files inside a workbook or an archive."""
UNPACKED_BYTES = 400_000_000
"""What all parts of an archive unpack to; they are read as a stream: blank rows may be many."""
TEXT_BYTES = 60_000_000
"""One text inside an archive, and the shared texts of a workbook, which are held in memory."""
SMALL_PART_BYTES = 10_000_000
"""The parts of a workbook that are read element by element: its list of sheets, its formats."""
PROBLEMS = 2_000
"""Problems that are kept one by one; the rest is counted."""
NUMBER_CHARACTERS = exactjson.NUMBER_CHARACTERS
AMOUNT_BELOW = Decimal(1_000_000)
AMOUNT_DECIMALS = 9
"""Six integer digits and nine decimals: the fifteen significant digits that every database keeps."""
RATE_DECIMALS = 8
WHOLE_BELOW = 2**31
FIRST_DAY = dt.date(1999, 1, 1)
"""The euro's first day: nothing in a file is older."""
LAST_DAY = dt.date(2099, 12, 31)
