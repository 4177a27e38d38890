"""The deployment as containers: docker run, Compose, a Kubernetes ConfigMap, Deployment and Service, or KServe.

All of them start vLLM's public image with the configuration file mounted: what a visitor typed stands in that one only.
Everything else follows from two counts, GPUs a replica and replicas. Secrets are references: an environment variable,
or a Secret made beforehand.
"""

from functools import lru_cache
from typing import Any

from calculator.deploy import yamltext
from calculator.deploy.arguments import arguments
from calculator.deploy.vllm import GPUS_A_HOST, PORT

NAME = "vllm"
CONFIG_FILE = "vllm.yaml"
CONFIG_FOLDER = "/etc/vllm"
CONFIG_PATH = f"{CONFIG_FOLDER}/{CONFIG_FILE}"
CACHE_FOLDER = "/data/huggingface"
CACHE_VOLUME = "huggingface"
SHARED_MEMORY_GIB = 8
"""Shared memory through which the processes of one server exchange tensors."""
START_LIMIT_S = 1800
PROBE_S = 10
FAILURES_ALLOWED = 3
KSERVE_CONTAINER = "kserve-container"
"""The name by which KServe knows the server among the containers of a pod."""
KSERVE_MODE = {"serving.kserve.io/deploymentMode": "RawDeployment"}
"""Pods of an ordinary Deployment, without Knative; newer versions call it Standard and still read this word."""
SECRETS = {"HF_TOKEN": "hf-token", "VLLM_API_KEY": "api-key"}
"""Environment variables that hold secrets, and their keys in the Secret."""
LABELS = {"app.kubernetes.io/name": NAME}
HEALTH_CHECK = f"import urllib.request; urllib.request.urlopen('http://127.0.0.1:{PORT}/health')"


def docker_run(gpus: int) -> str:
    """One replica on this machine; the secrets come from the shell's environment."""
    parts = [
        f"docker run --rm --gpus {gpus} --shm-size {SHARED_MEMORY_GIB}g",
        f"--publish 127.0.0.1:{PORT}:{PORT}",
        *(f"--env {name}" for name in SECRETS),
        f"--env HF_HOME={CACHE_FOLDER}",
        f"--volume {CACHE_VOLUME}:{CACHE_FOLDER}",
        f'--volume "$PWD/{CONFIG_FILE}:{CONFIG_PATH}:ro"',
        f"--entrypoint vllm {arguments().image}",
        f"serve --config {CONFIG_PATH}",
    ]
    return " \\\n  ".join(parts)


@lru_cache(maxsize=128)
def compose_text(gpus: int, replicas: int) -> str | None:
    """The Compose file; None where the replicas need more than one machine, which Compose does not manage."""
    return yamltext.write(compose(gpus, replicas)) if gpus * replicas <= GPUS_A_HOST else None


def compose(gpus: int, replicas: int) -> dict[str, Any]:
    """A service a replica, each with GPUs of its own and the next port."""
    names = [NAME] if replicas == 1 else [f"{NAME}-{index}" for index in range(replicas)]
    return {
        "services": {name: compose_service(gpus, index) for index, name in enumerate(names)},
        "volumes": {CACHE_VOLUME: {}},
    }


def compose_service(gpus: int, index: int) -> dict[str, Any]:
    """One replica: its GPUs by number, its port on this machine only."""
    devices = [yamltext.quoted(number) for number in range(index * gpus, (index + 1) * gpus)]
    return {
        "image": arguments().image,
        "entrypoint": ["vllm", "serve"],
        "command": ["--config", CONFIG_PATH],
        "environment": {name: f"${{{name}:-}}" for name in SECRETS} | {"HF_HOME": CACHE_FOLDER},
        "ports": [yamltext.quoted(f"127.0.0.1:{PORT + index}:{PORT}")],
        "volumes": [
            f"{CACHE_VOLUME}:{CACHE_FOLDER}",
            {"type": "bind", "source": f"./{CONFIG_FILE}", "target": CONFIG_PATH, "read_only": True},
        ],
        "shm_size": f"{SHARED_MEMORY_GIB}gb",
        "restart": "unless-stopped",
        "healthcheck": {
            "test": ["CMD", "python3", "-c", HEALTH_CHECK],
            "interval": f"{PROBE_S}s",
            "retries": FAILURES_ALLOWED,
            "start_period": f"{START_LIMIT_S}s",
        },
        "deploy": {
            "resources": {
                "reservations": {"devices": [{"driver": "nvidia", "device_ids": devices, "capabilities": ["gpu"]}]}
            }
        },
    }


def kubernetes_text(config: str, gpus: int, replicas: int) -> str:
    """ConfigMap with the configuration file, Deployment with one pod a replica, Service in front of them."""
    return yamltext.joined((yamltext.write(config_map(config)), pods_text(gpus, replicas)))


@lru_cache(maxsize=128)
def pods_text(gpus: int, replicas: int) -> str:
    """Deployment and Service: the part that no configuration changes."""
    return yamltext.joined((yamltext.write(deployment(gpus, replicas)), yamltext.write(service())))


def config_map(config: str) -> dict[str, Any]:
    """The configuration file as Kubernetes holds it."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "labels": LABELS},
        "data": {CONFIG_FILE: yamltext.Block(config)},
    }


def deployment(gpus: int, replicas: int) -> dict[str, Any]:
    """One pod a replica. Pods are replaced, not added, on a change: the old one still holds the GPUs."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": NAME, "labels": LABELS},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": LABELS},
            "strategy": {"type": "Recreate"},
            "template": {"metadata": {"labels": LABELS}, "spec": pod(gpus)},
        },
    }


def kserve_text(config: str, gpus: int, replicas: int) -> str:
    """The same ConfigMap, and an InferenceService in place of Deployment and Service."""
    return yamltext.joined((yamltext.write(config_map(config)), inference_service_text(gpus, replicas)))


@lru_cache(maxsize=128)
def inference_service_text(gpus: int, replicas: int) -> str:
    """The part that no configuration changes."""
    return yamltext.write(inference_service(gpus, replicas))


def inference_service(gpus: int, replicas: int) -> dict[str, Any]:
    """The same pods under KServe, as many as were sized for: no scaling, which would ask for other GPUs."""
    return {
        "apiVersion": "serving.kserve.io/v1beta1",
        "kind": "InferenceService",
        "metadata": {"name": NAME, "labels": LABELS, "annotations": KSERVE_MODE},
        "spec": {
            "predictor": {
                "minReplicas": replicas,
                "maxReplicas": replicas,
                "deploymentStrategy": {"type": "Recreate"},
                **pod(gpus),
                "containers": [container(gpus) | {"name": KSERVE_CONTAINER}],
            }
        },
    }


def pod(gpus: int) -> dict[str, Any]:
    """The server's pod. No service links: those of a Service named vllm would set VLLM_PORT, a setting of vLLM."""
    return {
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        "containers": [container(gpus)],
        "volumes": [
            {"name": "config", "configMap": {"name": NAME}},
            {"name": CACHE_VOLUME, "emptyDir": {}},
            {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{SHARED_MEMORY_GIB}Gi"}},
        ],
    }


def container(gpus: int) -> dict[str, Any]:
    """vLLM with its GPUs, its probes and references to its secrets."""
    return {
        "name": NAME,
        "image": arguments().image,
        "command": ["vllm", "serve"],
        "args": ["--config", CONFIG_PATH],
        "env": [*(secret(name, key) for name, key in SECRETS.items()), {"name": "HF_HOME", "value": CACHE_FOLDER}],
        "ports": [{"name": "http", "containerPort": PORT}],
        "resources": {"limits": {"nvidia.com/gpu": yamltext.quoted(gpus)}},
        "startupProbe": probe() | {"failureThreshold": START_LIMIT_S // PROBE_S},
        "readinessProbe": probe(),
        "livenessProbe": probe() | {"failureThreshold": FAILURES_ALLOWED},
        "securityContext": {"allowPrivilegeEscalation": False},
        "volumeMounts": [
            {"name": "config", "mountPath": CONFIG_FOLDER, "readOnly": True},
            {"name": CACHE_VOLUME, "mountPath": CACHE_FOLDER},
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108  (the pod's own, not this machine's)
        ],
    }


def secret(name: str, key: str) -> dict[str, Any]:
    """An environment variable from the Secret, left out where there is none."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": NAME, "key": key, "optional": True}}}


def probe() -> dict[str, Any]:
    """vLLM answers on /health once the model is loaded."""
    return {"httpGet": {"path": "/health", "port": "http"}, "periodSeconds": PROBE_S}


def service() -> dict[str, Any]:
    """The address inside the cluster."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": NAME, "labels": LABELS},
        "spec": {"selector": LABELS, "ports": [{"name": "http", "port": PORT, "targetPort": "http"}]},
    }
