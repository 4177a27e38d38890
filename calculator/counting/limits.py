"""What a request may ask of the counter. Each limit is named in the sentence that refuses what is over it."""

UPLOAD_BYTES = 50_000_000
"""A request's body, files and text together."""
TOKENIZER_BYTES = 20_000_000
"""An uploaded tokenizer.json: those of the large vocabularies are 7 to 17 MB."""
SEVERAL_TOKENIZERS_BYTES = 5_000_000
"""Beyond this a request is counted with one tokenizer only: SentencePiece models read about 2 MB a second."""
FOREIGN_CHARACTERS = 2_000_000
"""What an uploaded tokenizer is given: where it may be cut is not known, so it takes the text whole."""
SPLIT_TOKENS = 2_000
"""Tokens that the visual split shows."""
SPLIT_CHARACTERS = 20_000
"""The beginning of a text that holds as many tokens as the split shows, in any usual language."""
LINE_CHARACTERS = 16_000_000
"""One line of a text, one field of a CSV file, one line of a JSONL file."""
DOCUMENTS = 1_000_000
"""Documents of one sample, blank ones included: a mean needs far fewer."""
REQUEST_DOCUMENTS = 200_000
"""The same for a request: each costs some microseconds, however short it is."""
BIG_BYTES = 1_000_000
"""A body above this is a big one, of which a process takes few at a time."""
BIG_COUNTS = 1
"""Big bodies at a time: a count takes a whole core while it lasts, and a process has its other pages to serve."""
CHILD_COUNTS = 2
"""Child processes at a time, of the four threads of a process."""
RETRY_SECONDS = 10
"""When one that found no room should come again."""
COUNT_SECONDS = 30
"""Processor time that a request may take to be read and counted."""
XML_BYTES = 20_000_000
"""A DOCX's text part when unpacked: more is a bomb rather than a document."""
PDF_PAGES = 5_000
CHILD_SECONDS = 30
XML_DEPTH = 500
"""Elements of a DOCX inside each other: a table in a table in a text box needs some dozens."""
CHILD_MEMORY_BYTES = 2 * 2**30
"""What reading a DOCX, a PDF or an uploaded tokenizer may take in its process of its own."""
