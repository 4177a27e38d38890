"""What GPUs are joined by: the links inside a machine and the networks between machines, as their sheets state them.

Rates are one way. Inside a machine a rate is one GPU's; on a network it is one card's, and all GPUs of a machine share
its cards.
"""

import enum
from dataclasses import dataclass

from calculator.domain.hardware import Gpu
from calculator.domain.inference import link_bytes_per_s

OWN = ""
"""The code of "the GPU's own link"."""
REDUCING_GENERATIONS = ("NVLink4", "NVLink5")
SWITCHES = ("NVSwitch", "NVL72")


class Reach(enum.StrEnum):
    """Where an interconnect runs."""

    MACHINE = "machine"
    NETWORK = "network"


class Way(enum.StrEnum):
    """The class of a link whose measured efficiency applies; a network has that of a switch."""

    PCIE = "PCIe"
    BRIDGE = "bridge"
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Interconnect:
    """One link or network. `most_gpus` = how many GPUs it joins at most (None: as many as the machine has);
    `reducing` says that its switch adds the messages itself."""

    code: str
    name: str
    reach: Reach
    bytes_per_s: float
    way: Way = Way.SWITCH
    most_gpus: int | None = None
    reducing: bool = False
    source: str = ""
    note: str = ""


def reduces(nvlink_gen: str) -> bool:
    """Whether the switch of that generation adds messages: from NVLink 4 on, where a switch joins the GPUs.

    >>> reduces("NVLink4 + NVSwitch"), reduces("NVLink3 + NVSwitch"), reduces("NVLink4 bridge (pair)")
    (True, False, False)
    """
    return any(word in nvlink_gen for word in REDUCING_GENERATIONS) and any(word in nvlink_gen for word in SWITCHES)


def own_link(gpu: Gpu, machine_gpus: int) -> Interconnect:
    """The link that a GPU's data sheet states for `machine_gpus` of them in one machine; a bridge joins two only.

    Raises NotModelledError where the sheet states none.

    >>> card = Gpu("RTX 4090", "NVIDIA", "Ada", 24, 1008, pcie_gen=4, pcie_gb_s_per_direction=32)
    >>> own_link(card, 8).name, own_link(card, 8).bytes_per_s
    ('PCIe 4.0 ×16', 32000000000.0)
    """
    rate, nvlink = link_bytes_per_s(gpu, max(2, machine_gpus))
    if not nvlink:
        return Interconnect(OWN, f"PCIe {gpu.pcie_gen}.0 ×16", Reach.MACHINE, float(rate), Way.PCIE, source=gpu.source)
    bridged = "bridge" in gpu.nvlink_gen
    return Interconnect(
        code=OWN,
        name=gpu.nvlink_gen,
        reach=Reach.MACHINE,
        bytes_per_s=float(rate),
        way=Way.BRIDGE if bridged else Way.SWITCH,
        most_gpus=2 if bridged else None,
        reducing=reduces(gpu.nvlink_gen),
        source=gpu.source,
    )
