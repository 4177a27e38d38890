"""Results that other tools measured elsewhere: read as data, labelled by tool and definition, never taken for ours."""

from benchmarks.foreign.reading import ForeignError
from benchmarks.foreign.records import ForeignResult, ForeignStep
from benchmarks.foreign.tools import read

__all__ = ["ForeignError", "ForeignResult", "ForeignStep", "read"]
