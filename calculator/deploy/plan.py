"""One serving point written down in every form."""

from collections.abc import Mapping
from dataclasses import dataclass

from calculator.deploy import containers
from calculator.deploy.arguments import arguments
from calculator.deploy.point import NVIDIA, Note, ServingPoint
from calculator.deploy.vllm import Value, command_line, config_yaml, settings


@dataclass(frozen=True, slots=True)
class DeployPlan:
    """Texts ready to copy, without comments. The container texts are None where the public image is not for the
    GPU, Compose's also where one machine is not enough."""

    vllm_version: str
    settings: Mapping[str, Value]
    config_yaml: str
    command_line: str
    docker_run: str | None
    compose_yaml: str | None
    kubernetes_yaml: str | None
    kserve_yaml: str | None
    notes: tuple[Note, ...]


def plan(point: ServingPoint) -> DeployPlan:
    """The deployment as configuration file, command line and containers. Raises DeployError where vLLM of this version
    would refuse to start it."""
    chosen = settings(point)
    config = config_yaml(chosen.values)
    packed, gpus = point.gpu.vendor == NVIDIA, point.gpus_a_replica
    return DeployPlan(
        vllm_version=arguments().version,
        settings=chosen.values,
        config_yaml=config,
        command_line=command_line(chosen.values),
        docker_run=containers.docker_run(gpus) if packed else None,
        compose_yaml=containers.compose_text(gpus, point.replicas) if packed else None,
        kubernetes_yaml=containers.kubernetes_text(config, gpus, point.replicas) if packed else None,
        kserve_yaml=containers.kserve_text(config, gpus, point.replicas) if packed else None,
        notes=chosen.notes if packed else (*chosen.notes, Note("image_other_vendor", {"gpu": point.gpu.name})),
    )
