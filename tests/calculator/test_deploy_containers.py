"""Container descriptions are valid against the published schemas, and hold no secret and nothing a visitor typed."""

import json
import shlex
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import yaml

from calculator.deploy import yamltext
from calculator.deploy.arguments import arguments
from calculator.deploy.plan import plan
from calculator.deploy.point import ServingPoint
from tests.calculator import deployfactory as make

SCHEMAS = Path(__file__).parent / "schemas"
KINDS = {
    "Deployment": "io.k8s.api.apps.v1.Deployment",
    "Service": "io.k8s.api.core.v1.Service",
    "ConfigMap": "io.k8s.api.core.v1.ConfigMap",
}
POINTS = (make.published(), make.point(make.H100, tensor_parallel=4, replicas=2), make.point(make.T4, replicas=3))
HOSTILE = 'a: "b"\'$HOME ${X} $(id) # {}'


@cache
def compose_check() -> Callable[[Any], Any]:
    return fastjsonschema.compile(json.loads((SCHEMAS / "compose.json").read_text()), use_default=False)


@cache
def kubernetes_check(kind: str) -> Callable[[Any], Any]:
    definitions = json.loads((SCHEMAS / "kubernetes.json").read_text())
    return fastjsonschema.compile({"$ref": f"#/$defs/{KINDS[kind]}", **definitions}, use_default=False)


def manifests(point: ServingPoint) -> dict[str, Any]:
    """Kubernetes objects by kind, as a YAML reader finds them."""
    text = plan(point).kubernetes_yaml
    assert text is not None
    return {item["kind"]: item for item in yaml.safe_load_all(text)}


def services(point: ServingPoint) -> dict[str, Any]:
    """Compose services by name."""
    text = plan(point).compose_yaml
    assert text is not None
    return yaml.safe_load(text)["services"]


@pytest.mark.parametrize("point", POINTS)
def test_the_compose_file_is_valid(point: ServingPoint) -> None:
    compose_check()(yaml.safe_load(plan(point).compose_yaml or ""))


@cache
def kserve_check() -> Callable[[Any], Any]:
    own = json.loads((SCHEMAS / "kserve.json").read_text())["$defs"]
    shared = json.loads((SCHEMAS / "kubernetes.json").read_text())["$defs"]
    return fastjsonschema.compile({"$ref": "#/$defs/InferenceService", "$defs": {**shared, **own}}, use_default=False)


def kserve_objects(point: ServingPoint) -> dict[str, Any]:
    """The objects for KServe by kind."""
    text = plan(point).kserve_yaml
    assert text is not None
    return {item["kind"]: item for item in yaml.safe_load_all(text)}


@pytest.mark.parametrize("point", POINTS)
def test_the_inference_service_is_valid(point: ServingPoint) -> None:
    found = kserve_objects(point)
    assert found.keys() == {"ConfigMap", "InferenceService"}
    kserve_check()(found["InferenceService"])
    kubernetes_check("ConfigMap")(found["ConfigMap"])


@pytest.mark.parametrize(
    "wrong",
    [
        {"minReplica": 1},
        {"minReplicas": "1"},
        {"containers": []},
        {"containers": [{"name": "x", "gpus": 1}]},
        {"enableServiceLinks": "no"},
    ],
)
def test_the_schema_refuses_a_wrong_predictor(wrong: dict[str, Any]) -> None:
    service = kserve_objects(make.published())["InferenceService"]
    service["spec"]["predictor"] |= wrong
    with pytest.raises(fastjsonschema.JsonSchemaException):
        kserve_check()(service)


def test_kserve_runs_the_pods_of_the_deployment_as_many_as_were_sized() -> None:
    """The same container but for its name, by which KServe finds the server; neither more nor fewer replicas."""
    point = make.point(tensor_parallel=4, replicas=2)
    predictor = kserve_objects(point)["InferenceService"]["spec"]["predictor"]
    plain = manifests(point)["Deployment"]["spec"]
    assert (predictor["minReplicas"], predictor["maxReplicas"], plain["replicas"]) == (2, 2, 2)
    assert predictor["deploymentStrategy"] == plain["strategy"]
    served, alone = predictor["containers"][0], plain["template"]["spec"]["containers"][0]
    assert served["name"] == "kserve-container"
    assert {**served, "name": alone["name"]} == alone
    assert predictor["volumes"] == plain["template"]["spec"]["volumes"]
    assert predictor["enableServiceLinks"] is False


def test_kserve_needs_no_knative() -> None:
    annotations = kserve_objects(make.published())["InferenceService"]["metadata"]["annotations"]
    assert annotations == {"serving.kserve.io/deploymentMode": "RawDeployment"}


@pytest.mark.parametrize("point", POINTS)
def test_the_kubernetes_objects_are_valid(point: ServingPoint) -> None:
    found = manifests(point)
    assert found.keys() == KINDS.keys()
    for kind, item in found.items():
        kubernetes_check(kind)(item)


@pytest.mark.parametrize(
    ("schema", "document"),
    [
        ("compose", {"services": {"vllm": {"image": "x", "gpu": 1}}}),
        ("compose", {"services": {"vllm": {"image": 1}}}),
        ("Deployment", {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"selector": {}, "x": 1}}),
        ("Service", {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"name": "http"}]}}),
    ],
)  # fmt: skip
def test_the_schemas_refuse_what_is_wrong(schema: str, document: Any) -> None:
    check = compose_check() if schema == "compose" else kubernetes_check(schema)
    with pytest.raises(fastjsonschema.JsonSchemaException):
        check(document)


def test_every_container_runs_the_image_of_the_version_that_the_keys_belong_to() -> None:
    image = f"vllm/vllm-openai:v{arguments().version}"
    made = plan(make.published())
    assert image in shlex.split((made.docker_run or "").replace(" \\\n", " "))
    assert {service["image"] for service in services(make.published()).values()} == {image}
    containers = manifests(make.published())["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert [container["image"] for container in containers] == [image]


def test_each_replica_has_gpus_and_a_port_of_its_own() -> None:
    found = services(make.point(tensor_parallel=2, replicas=2))
    reserved = [item["deploy"]["resources"]["reservations"]["devices"][0]["device_ids"] for item in found.values()]
    assert reserved == [["0", "1"], ["2", "3"]]
    assert [item["ports"] for item in found.values()] == [["127.0.0.1:8000:8000"], ["127.0.0.1:8001:8000"]]


def test_a_pod_asks_for_the_gpus_of_one_replica() -> None:
    deployment = manifests(make.point(tensor_parallel=4, replicas=2))["Deployment"]
    assert deployment["spec"]["replicas"] == 2
    limits = deployment["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits == {"nvidia.com/gpu": "4"}


def test_docker_gives_the_container_the_gpus_of_one_replica() -> None:
    words = shlex.split((plan(make.point(tensor_parallel=4)).docker_run or "").replace(" \\\n", " "))
    assert words[words.index("--gpus") + 1] == "4"
    assert words[words.index("--entrypoint") + 1] == "vllm"


def test_the_service_points_at_the_pods_and_the_pod_mounts_the_configuration() -> None:
    found = manifests(make.published())
    template = found["Deployment"]["spec"]["template"]
    assert found["Service"]["spec"]["selector"] == template["metadata"]["labels"]
    assert found["Deployment"]["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
    assert found["ConfigMap"]["data"]["vllm.yaml"] == plan(make.published()).config_yaml
    mounts = {item["name"]: item["mountPath"] for item in template["spec"]["containers"][0]["volumeMounts"]}
    assert template["spec"]["containers"][0]["args"] == ["--config", f"{mounts['config']}/vllm.yaml"]


def test_service_links_are_off_because_they_would_set_vllm_s_own_port() -> None:
    assert manifests(make.published())["Deployment"]["spec"]["template"]["spec"]["enableServiceLinks"] is False


def test_secrets_are_references_only() -> None:
    environment = manifests(make.published())["Deployment"]["spec"]["template"]["spec"]["containers"][0]["env"]
    secrets = [item for item in environment if item["name"] in {"HF_TOKEN", "VLLM_API_KEY"}]
    assert len(secrets) == 2
    assert all("value" not in item and item["valueFrom"]["secretKeyRef"]["optional"] for item in secrets)
    shown = services(make.published())["vllm"]["environment"]
    assert (shown["HF_TOKEN"], shown["VLLM_API_KEY"]) == ("${HF_TOKEN:-}", "${VLLM_API_KEY:-}")
    assert "--env HF_TOKEN " in (plan(make.published()).docker_run or "")


def test_what_a_visitor_typed_stands_in_the_configuration_file_only() -> None:
    made = plan(make.point(model_path=HOSTILE))
    assert HOSTILE not in (made.docker_run or "") and "HOME}" not in (made.compose_yaml or "").replace("HF_HOME", "")
    found = manifests(make.point(model_path=HOSTILE))
    assert yaml.safe_load(found["ConfigMap"]["data"]["vllm.yaml"])["model"] == HOSTILE
    assert found["Deployment"] == manifests(make.point())["Deployment"]


def test_numbers_that_look_like_texts_stay_texts_for_every_reader() -> None:
    assert yamltext.write({"a": yamltext.quoted("1e3"), "b": yamltext.quoted("on")}) == 'a: "1e3"\nb: "on"\n'


def test_documents_are_separated_as_kubernetes_reads_them() -> None:
    assert yamltext.joined(["a: 1\n", "b: 2\n"]) == "a: 1\n---\nb: 2\n"


def test_compose_describes_one_machine_only() -> None:
    assert len(services(make.point(tensor_parallel=2, replicas=4))) == 4
    made = plan(make.point(tensor_parallel=2, replicas=5))
    assert made.compose_yaml is None
    assert made.kubernetes_yaml is not None and "replicas: 5" in made.kubernetes_yaml


def test_a_thousand_replicas_make_no_long_text() -> None:
    made = plan(make.point(replicas=1024))
    assert len(made.kubernetes_yaml or "") < 4000
    assert made.compose_yaml is None


def test_the_same_value_twice_is_written_twice() -> None:
    shared = {"x": 1}
    assert "&" not in yamltext.write({"a": shared, "b": shared})
