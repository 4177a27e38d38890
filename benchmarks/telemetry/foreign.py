"""Who computes on a GPU: the run's own processes, or somebody else's.

The driver may number processes as the outermost system does; inside a container those numbers mean nothing. Before the
run starts anything, whatever computes is foreign. During the run a process is foreign when it exists here and is not of
our family; one that does not exist here cannot be told from our own engine. At the end only newcomers are foreign.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

import psutil


@dataclass
class Census:
    """Remembers every process that was or may be the run's own. `parent` is the process that carries the run out."""

    parent: int
    own: set[int] = field(default_factory=set)
    untold: set[int] = field(default_factory=set)
    foreign: set[int] = field(default_factory=set)

    def begin(self, present: Collection[int]) -> None:
        """Before the run: nobody may be there."""
        self.foreign |= set(present)

    def look(self, present: Collection[int]) -> int:
        """During the run: how many foreign processes are on the GPU now."""
        self.own |= family(self.parent)
        strangers = set(present) - self.own
        absent = {pid for pid in strangers if not psutil.pid_exists(pid)} - self.foreign
        self.untold |= absent
        now = strangers - absent
        self.foreign |= now
        return len(now)

    def end(self, present: Collection[int]) -> None:
        """After the run: its own processes may still be on their way out."""
        self.foreign |= set(present) - self.own - self.untold


def family(parent: int) -> set[int]:
    """The process and all it started, as far as they still live."""
    try:
        process = psutil.Process(parent)
        return {parent, *(child.pid for child in process.children(recursive=True))}
    except psutil.Error:
        return {parent}
