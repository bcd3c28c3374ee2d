"""The files for containers, checked against the schemas of what reads them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import yaml
from click import Context

from adjudge.cli.main import cli

ROOT = Path(__file__).parents[3]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
MANIFESTS = [
    pytest.param(manifest, id=f"{file.stem}-{manifest['kind']}")
    for file in sorted((ROOT / "deploy/kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(file.read_text("utf-8"))
]
OF_KUBERNETES = [param for param in MANIFESTS if "ray.io" not in param.values[0]["apiVersion"]]
RAY = next(p.values[0] for p in MANIFESTS if p.values[0]["apiVersion"] == "ray.io/v1")
KUBERNETES = "1.33"

# The fields of RayJob v1 that we use, with their types: its own schema lies in the operator alone.
GROUP = {
    "type": "object",
    "required": ["rayStartParams", "template"],
    "additionalProperties": False,
    "properties": {
        "rayStartParams": {"type": "object", "additionalProperties": {"type": "string"}},
        "template": {"type": "object"},
        "groupName": {"type": "string"},
        "replicas": {"type": "integer"},
        "minReplicas": {"type": "integer"},
        "maxReplicas": {"type": "integer"},
    },
}
RAY_JOB = {
    "type": "object",
    "required": ["entrypoint", "rayClusterSpec"],
    "additionalProperties": False,
    "properties": {
        "entrypoint": {"type": "string"},
        "shutdownAfterJobFinishes": {"type": "boolean"},
        "ttlSecondsAfterFinished": {"type": "integer"},
        "backoffLimit": {"type": "integer"},
        "submissionMode": {"enum": ["K8sJobMode", "HTTPMode", "InteractiveMode"]},
        "submitterPodTemplate": {"type": "object"},
        "rayClusterSpec": {
            "type": "object",
            "required": ["headGroupSpec"],
            "additionalProperties": False,
            "properties": {
                "rayVersion": {"type": "string"},
                "headGroupSpec": GROUP,
                "workerGroupSpecs": {"type": "array", "items": GROUP},
            },
        },
    },
}


@pytest.mark.parametrize("manifest", OF_KUBERNETES)
def test_kubernetes_takes_the_manifest(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def test_ray_takes_the_job() -> None:
    jsonschema.validate(RAY["spec"], RAY_JOB)
    for template in _templates(RAY):
        pod = {"apiVersion": "v1", "kind": "Pod", **template}
        kubernetes_validate.validate(pod, KUBERNETES, strict=True)


def test_compose_takes_the_file() -> None:
    vendor = files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json"
    jsonschema.validate(COMPOSE, json.loads(vendor.read_text("utf-8")))


def _templates(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The pods that a manifest makes."""
    spec = manifest["spec"]
    if manifest["kind"] == "RayJob":
        cluster = spec["rayClusterSpec"]
        groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
        return [spec["submitterPodTemplate"], *(group["template"] for group in groups)]
    return [spec["template"]] if "template" in spec else []


PODS = [
    pytest.param(template["spec"], id=str(param.id))
    for param in MANIFESTS
    for template in _templates(param.values[0])
]


@pytest.mark.parametrize("pod", PODS)
def test_pods_have_no_more_rights_than_they_need(pod: dict[str, Any]) -> None:
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert f"USER {pod['securityContext']['runAsUser']}" in DOCKERFILE
    assert pod["automountServiceAccountToken"] is False
    for container in pod["containers"]:
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert "/tmp" in [mount["mountPath"] for mount in container["volumeMounts"]]  # noqa: S108 - in the container
        assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("pod", PODS)
def test_keys_come_from_the_secret(pod: dict[str, Any]) -> None:
    for variable in pod["containers"][0]["env"]:
        if variable == {"name": "HOME", "value": "/tmp"}:  # noqa: S108 - the same
            continue
        assert "value" not in variable
        assert variable["valueFrom"]["secretKeyRef"]["name"] == "adjudge"


@pytest.mark.parametrize("pod", PODS)
def test_the_certificate_that_the_address_names_is_in_the_pod(pod: dict[str, Any]) -> None:
    (container,) = pod["containers"]
    if not any(variable["name"] == "ADJUDGE_STORE" for variable in container["env"]):
        return
    secret = (ROOT / "docs/deploying.md").read_text("utf-8").partition("kubectl create secret")[2]
    (path,) = re.findall(r"sslrootcert=(\S+)'", secret.partition("```")[0])
    (volume,) = [volume["secret"] for volume in pod["volumes"] if "secret" in volume]
    (key,) = volume["items"]
    places = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert f"{places['ca']}/{key['path']}" == path
    assert f"--from-file={key['key']}=" in secret


def test_the_image_is_small_and_without_root() -> None:
    final = DOCKERFILE.split("\nFROM ")[-1]
    assert "\nUSER 10001\n" in final
    assert "HEALTHCHECK" in final
    assert "/healthz" in final
    # A new volume takes over whose its folder is, also where the image has nothing in it.
    assert "mkdir /data /models && chown 10001:10001 /data /models" in final
    assert "pip" not in final  # nothing is built or fetched in what is shipped but libgomp


def test_extras_are_resolved_beside_the_locked_versions(tmp_path: Path) -> None:
    """pip refuses constraints with hashes for a folder, and for what is not among them."""
    (line,) = re.findall(r"^RUN (sed .*versions\.txt)$", DOCKERFILE, re.MULTILINE)
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    subprocess.run(["sh", "-c", line], cwd=tmp_path, check=True)
    versions = (tmp_path / "versions.txt").read_text("utf-8").splitlines()
    locked = (ROOT / "requirements.lock").read_text("utf-8")
    assert len(versions) == locked.count("==")
    assert all(re.fullmatch(r"[\w.-]+(\[\w,-]+\])?==[\w.+!-]+", version) for version in versions)
    assert re.findall(r"-c (\S+)", DOCKERFILE) == ["versions.txt"] * 2


def test_containers_of_compose_write_only_to_volumes() -> None:
    for name in ("service", "worker"):
        service = COMPOSE["services"][name]
        assert service["read_only"] is True
        assert "/tmp" in service["tmpfs"]  # noqa: S108 - that of the container
        assert service["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in COMPOSE["services"]["service"]["ports"])


def _commands() -> list[list[str]]:
    """Every command line of ours in these files, without the program's name."""
    shards = next(p.values[0] for p in MANIFESTS if p.id == "shards-Job")
    service = next(p.values[0] for p in MANIFESTS if p.id == "service-Deployment")
    pod = shards["spec"]["template"]["spec"]["containers"][0]
    part = pod["args"][0].replace("$((JOB_COMPLETION_INDEX + 1))", "16")
    compose = [COMPOSE["services"][name]["command"] for name in ("service", "worker")]
    first = json.loads(DOCKERFILE.split("\nCMD ")[-1])
    return [
        shlex.split(part)[2:],
        shlex.split(RAY["spec"]["entrypoint"])[1:],
        service["spec"]["template"]["spec"]["containers"][0]["args"],
        first,
        *[[re.sub(r"\$\{\w+:-(.*?)\}", r"\1", word) for word in command] for command in compose],
    ]


@pytest.mark.parametrize("command", _commands(), ids=lambda command: " ".join(command[:2]))
def test_the_commands_are_understood(command: list[str]) -> None:
    """Parsed as the command line does, and not carried out."""
    name, *arguments = command
    subcommand = cli.get_command(Context(cli), name)
    assert subcommand is not None
    subcommand.make_context(name, list(arguments))


def test_as_many_parts_as_the_job_has() -> None:
    shards = next(p.values[0] for p in MANIFESTS if p.id == "shards-Job")
    spec = shards["spec"]
    assert f'/{spec["completions"]}"' in spec["template"]["spec"]["containers"][0]["args"][0]


def test_probes_ask_by_a_name_that_the_service_answers_to() -> None:
    """A kubelet asks by the address of the pod, which is refused."""
    deployment = next(p.values[0] for p in MANIFESTS if p.values[0]["kind"] == "Deployment")
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    name = container["args"][container["args"].index("--allow-host") + 1]
    for probe in ("startupProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": name}]


def test_every_pod_of_a_ray_job_is_let_in() -> None:
    policy = next(p.values[0] for p in MANIFESTS if p.values[0]["kind"] == "NetworkPolicy")
    peers = [peer for rule in policy["spec"]["ingress"] for peer in rule["from"]]
    (ray,) = [peer["podSelector"]["matchLabels"] for peer in peers if "podSelector" in peer]
    for template in _templates(RAY):
        assert template["metadata"]["labels"] == ray
