"""Policies: addresses of TCP/IP and mail nodes come from the `.policyxml` files of the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.flow import Project
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

POLICY = (
    "<policies><policy policyType='%s' policyName='Shop' policyTemplate='x'>%s<Other>1</Other>"
    "</policy></policies>"
)
CLIENT = POLICY % ("TCPIPClient", "<Hostname>shop.example</Hostname><Port> 7778 </Port>")


def node_of(
    folder: Path, type_: str, content: str, name: str = "Shop", **properties: str
) -> dict[str, object]:
    """Return the properties of a node in an application beside a project with one policy."""
    policies = folder / "Policies"
    policies.mkdir()
    (policies / "policy.descriptor").write_text("<policyProjectDescriptor/>")
    (policies / ".project").write_text("<projectDescription><name>Policies</name></projectDescription>")
    (policies / "Shop.policyxml").write_text(content)
    application = folder / "App"
    application.mkdir()
    (application / "application.descriptor").write_text("<applicationDescriptor/>")
    given = {each: value.replace("POLICY", "{Policies}:" + name) for each, value in properties.items()}
    FlowFile().node("ComIbmMQInput", "In", queueName="IN").node(type_, "Node", **given).wire(
        "In.out", "Node.in"
    ).write(application / "F.msgflow")
    return Project(folder).flow("F").node("Node").properties()


def test_a_client_has_host_and_port(tmp_path: Path) -> None:
    found = node_of(tmp_path, "ComIbmTCPIPClientOutput", CLIENT, connectionDetails="POLICY")
    assert found["address"] == "shop.example:7778"


def test_a_server_has_a_port(tmp_path: Path) -> None:
    content = POLICY % ("TCPIPServer", "<Port>7778</Port>")
    found = node_of(tmp_path, "ComIbmTCPIPServerOutput", content, connectionDetails="POLICY")
    assert found["address"] == "7778"


def test_a_mail_node_has_its_server(tmp_path: Path) -> None:
    content = POLICY % ("SMTP", "<serverName>mail.example:25</serverName>")
    found = node_of(tmp_path, "ComIbmEmailOutput", content, smtpServer="POLICY", toAddresses="a@b")
    assert found["server"] == "mail.example:25"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (CLIENT, "Other"),
        (POLICY % ("TCPIPServer", "<Hostname>h</Hostname>"), "Shop"),
        (POLICY % ("TCPIPClient", "<Port>1</Port>"), "Shop"),
        ("<policies", "Shop"),
    ],
    ids=["unknown", "no port", "no host", "not XML"],
)
def test_a_node_without_its_policy_names_it(content: str, name: str, tmp_path: Path) -> None:
    found = node_of(tmp_path, "ComIbmTCPIPClientOutput", content, name, connectionDetails="POLICY")
    assert f"policy {{Policies}}:{name}" in str(found["reason"])
