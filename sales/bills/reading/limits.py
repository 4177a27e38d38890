"""What a usage report may hold. Each limit is named in the sentence that refuses what is over it."""

FILE_BYTES = 5_000_000
ENVELOPE_BYTES = 700_000
"""What the posted form holds beside the file: the mapping, the totals, the text that waits for its mapping."""
BODY_BYTES = FILE_BYTES + ENVELOPE_BYTES
WAITING_BYTES = 400_000
"""A file up to this size waits inside the page for its columns to be named; a larger one is chosen again."""
ROWS = 50_000
BREAKS = 4 * ROWS
"""Line breaks of a text: blank lines cost time too."""
PROBLEMS = 100
"""Problems that are told one by one; the rest is counted."""
TRAFFICS = 100
"""Models × modes of one report."""
TOKENS = 10**15
AMOUNT = 10**9
FIRST_YEAR, LAST_YEAR = 2020, 2099
MOST_DAYS = 3_660
NESTED_OPENED = 2 * ROWS
"""Objects and lists of a JSON report."""
