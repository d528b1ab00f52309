"""JavaCompute nodes and LANGUAGE JAVA routines that run by their source, and those that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from penstock.flow import Project
from penstock.flow.checking import check_flow
from penstock.testing import Rig
from penstock.tree.dump import dump
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow import Flow

HEAD = """package com.shop;
import java.util.List;
import com.ibm.broker.javacompute.MbJavaComputeNode;
import com.ibm.broker.plugin.*;
"""
NODE = (
    HEAD
    + """
public class Change extends MbJavaComputeNode {
  private int seen = 0;
  public void evaluate(MbMessageAssembly inAssembly) throws MbException {
    MbOutputTerminal out = getOutputTerminal("out");
    MbOutputTerminal alt = getOutputTerminal("alternate");
    MbMessage inMessage = inAssembly.getMessage();
    MbMessageAssembly outAssembly = null;
    try {
      %s
    } catch (MbException e) {
      throw e;
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new MbUserException(this, "evaluate()", "", "", e.toString(), null);
    }
  }
  private void copyMessageHeaders(MbMessage inMessage, MbMessage outMessage) throws MbException {
    MbElement outRoot = outMessage.getRootElement();
    MbElement header = inMessage.getRootElement().getFirstChild();
    while (header != null && header.getNextSibling() != null) {
      outRoot.addAsLastChild(header.copy());
      header = header.getNextSibling();
    }
  }
}
"""
)
ORDER = b"<Order><Id>7</Id><Item>a</Item><Item>b</Item></Order>"
NEW = "MbMessage m = new MbMessage(); copyMessageHeaders(inMessage, m); "
COPY = "MbMessage m = new MbMessage(inMessage); "
OUT = "out.propagate(new MbMessageAssembly(inAssembly, m));"
BODY = "MbElement in = inMessage.getRootElement().getLastChild().getFirstChild(); "

# What evaluate does, and the body that leaves the node.
CASES = [
    (COPY + OUT, ORDER),
    ("out.propagate(inAssembly);", ORDER),
    (COPY + 'm.getRootElement().getFirstElementByPath("XMLNSC/Order/Id").setValue("8"); ' + OUT,
     b"<Order><Id>8</Id><Item>a</Item><Item>b</Item></Order>"),
    (COPY + 'm.getRootElement().getFirstElementByPath("/XMLNSC/Order/Item[2]").delete(); ' + OUT,
     b"<Order><Id>7</Id><Item>a</Item></Order>"),
    (NEW + BODY + 'MbElement x = m.getRootElement().createElementAsLastChild(MbXMLNSC.PARSER_NAME); '
     'MbElement d = x.createElementAsLastChild(MbElement.TYPE_NAME, "Bill", null); '
     'd.createElementAsLastChild(MbXMLNSC.ATTRIBUTE, "id", in.getFirstElementByPath("Id").getValueAsString()); '
     'd.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "n", 1 + 2); '
     'd.createElementAsFirstChild(MbElement.TYPE_NAME_VALUE, "first", in.getName()); ' + OUT,
     b'<Bill id="7"><first>Order</first><n>3</n></Bill>'),
    (NEW + BODY + 'MbElement d = m.getRootElement().createElementAsLastChild(MbJSON.PARSER_NAME)'
     '.createElementAsLastChild(MbJSON.OBJECT, MbJSON.DATA_ELEMENT_NAME, null); '
     'MbElement l = d.createElementAsLastChild(MbJSON.ARRAY, "items", null); '
     'for (MbElement e = in.getFirstElementByPath("Item"); e != null; e = e.getNextSibling()) '
     'l.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, MbJSON.ARRAY_ITEM_NAME, e.getValue()); '
     'd.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "none", null); ' + OUT,
     b'{"items":["a","b"],"none":null}'),
    (NEW + 'List<MbElement> all = (List<MbElement>) inMessage.evaluateXPath(new MbXPath("/Order/Item")); '
     'MbElement b = m.getRootElement().createElementAsLastChild("BLOB"); '
     'String s = all.size() + ":"; for (MbElement e : all) s += e.getValueAsString(); '
     's += inMessage.evaluateXPath("count(/Order/*) + count(//Item)"); '
     'b.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "BLOB", s.getBytes("UTF-8")); ' + OUT, b"2:ab5.0"),
    ('MbMessage m = new MbMessage(); MbElement h = inMessage.getRootElement().getFirstChild(); '
     'while (h.getNextSibling() != null) { MbElement n = m.getRootElement().createElementAsLastChild('
     'h.getParserClassName()); n.setName(h.getName()); n.copyElementTree(h); h = h.getNextSibling(); } '
     'MbElement r = m.getRootElement().createElementAsLastChild("HTTPReplyHeader"); '
     'r.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "X", "y"); '
     'm.getRootElement().createElementAsLastChild("JSON").createElementAsLastChild(MbJSON.OBJECT, "Data", null)'
     '.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "a", 1); ' + OUT, b'{"a":1}'),
    (COPY + 'MbXPathVariables v = new MbXPathVariables(); v.assign("x", "new"); '
     'm.getRootElement().evaluateXPath("XMLNSC/?Order/?Extra[set-value($x)]", v); ' + OUT,
     b"<Order><Id>7</Id><Item>a</Item><Item>b</Item><Extra>new</Extra></Order>"),
    (NEW + 'byte[] data = inMessage.getRootElement().getLastChild().toBitstream("", "", "", 0, 1208, 0); '
     'm.getRootElement().createElementAsLastChildFromBitstream(data, "BLOB", "", "", "", 0, 1208, 0); ' + OUT, ORDER),
    (COPY + BODY + 'MbElement o = m.getRootElement().getLastChild().getFirstChild(); '
     'o.addAsLastChild(in.getFirstChild().copy()); MbElement i = o.getFirstChild(); i.detach(); '
     'o.addAsFirstChild(i); if (i.getParent() == null || !i.getName().equals("Id")) throw new Exception("?"); ' + OUT,
     b"<Order><Id>7</Id><Item>a</Item><Item>b</Item><Id>7</Id></Order>"),
    (COPY + 'seen++; m.getRootElement().getLastChild().getFirstChild().getFirstChild().setValue(getName() + seen + '
     'getMessageFlow().getName() + getUserDefinedAttribute("Colour")); ' + OUT,
     b"<Order><Id>Java1FNone</Id><Item>a</Item><Item>b</Item></Order>"),
    (COPY + 'String h = "fG"; m.getRootElement().getFirstElementByPath("XMLNSC/Order/Id").setValue('
     'Character.digit(h.charAt(0), 16) + " " + Character.digit(h.charAt(1), 16)); ' + OUT,
     b"<Order><Id>15 -1</Id><Item>a</Item><Item>b</Item></Order>"),
]  # fmt: skip


def flow_in(folder: Path, java: str) -> tuple[Project, Flow]:
    (folder / "src" / "com" / "shop").mkdir(parents=True, exist_ok=True)
    (folder / "src" / "com" / "shop" / "Change.java").write_text(java)
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN", messageDomainProperty="XMLNSC")
    file.node("ComIbmMQOutput", "Out", queueName="OUT").node("ComIbmMQOutput", "Alt", queueName="ALT")
    file.node("ComIbmMQOutput", "Failed", queueName="FAILED")
    file.node("ComIbmJavaCompute", "Java", javaClass="com.shop.Change")
    file.wire("In.out", "Java.in").wire("Java.out", "Out.in").wire("Java.alternate", "Alt.in")
    file.wire("In.catch", "Failed.in").write(folder / "F.msgflow")
    project = Project(folder)
    return project, project.flow("F")


@pytest.mark.parametrize(("code", "expected"), CASES, ids=range(len(CASES)))
def test_a_java_compute_changes_the_tree(
    qm: Any, run: Any, tmp_path: Path, code: str, expected: bytes
) -> None:
    project, flow = flow_in(tmp_path, NODE % code.replace("None", "null"))
    assert not check_flow(flow, project).findings
    qm.put("IN", ORDER)
    run(flow, project=project)
    assert qm.get("OUT").body == expected.replace(b"None", b"null")


def test_it_sends_to_both_terminals_and_its_local_environment_goes_along(
    qm: Any, run: Any, tmp_path: Path
) -> None:
    code = """
      MbElement le = inAssembly.getLocalEnvironment().getRootElement();
      MbElement data = le.createElementAsLastChild(MbElement.TYPE_NAME, "Destination", null)
        .createElementAsLastChild(MbElement.TYPE_NAME, "MQ", null)
        .createElementAsLastChild(MbElement.TYPE_NAME, "DestinationData", null);
      data.createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "queueName", "LISTED");
      alt.propagate(inAssembly);
      out.propagate(inAssembly);
    """
    project, flow = flow_in(tmp_path, NODE % code)
    flow.node("Out").destination = "list"
    qm.mqsc("DEFINE QLOCAL(LISTED)")
    qm.mqsc("DEFINE QLOCAL(ALT)")
    qm.put("IN", ORDER)
    run(flow, project=project)
    assert (qm.get("ALT").body, qm.get("LISTED").body) == (ORDER, ORDER)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ('throw new MbUserException(this, "evaluate()", "", "", "no stock", null);', "no stock"),
        ('throw new Exception("odd");', "java.lang.Exception: odd"),
        (
            'inMessage.getRootElement().getLastChild().getFirstChild().setName("x"); out.propagate(inAssembly);',
            "the input message cannot be changed; copy it first",
        ),
        (
            "String s = null; out.propagate(s.length() > 0 ? inAssembly : null);",
            "java.lang.NullPointerException: length of null (src/com/shop/Change.java, line 14)",
        ),
    ],
)
def test_an_exception_is_the_failure_of_the_message(
    qm: Any, run: Any, tmp_path: Path, code: str, text: str
) -> None:
    project, _ = flow_in(tmp_path, NODE % code)
    with Rig("F", project) as rig:
        rig.put(ORDER)
        rig.run()
        (failed,) = [each for each in rig.wires if each.place == "In.catch -> Failed"]
        assert rig.bodies("FAILED") == [ORDER]
        assert not rig.bodies("OUT")
    assert text in dump(failed.exception_list)


def test_what_is_not_known_is_told_by_the_check_with_file_and_line(tmp_path: Path) -> None:
    project, flow = flow_in(tmp_path, NODE % "java.net.Socket c = null; out.propagate(inAssembly);")
    (found,) = check_flow(flow, project).findings
    assert (found.severity, found.node) == ("unavailable", "Java")
    assert (
        "Java class com.shop.Change cannot be run (src/com/shop/Change.java, line 14: class java.net.Socket"
        " is not known here): write class Change" in found.text
    )


ESQL = """CREATE FUNCTION twice(IN word CHARACTER, IN times INTEGER) RETURNS CHARACTER
  LANGUAGE JAVA EXTERNAL NAME "com.shop.Words.twice";
CREATE PROCEDURE parts(IN word CHARACTER, OUT first CHARACTER, OUT rest CHARACTER)
  LANGUAGE JAVA EXTERNAL NAME "com.shop.Words.parts";
CREATE PROCEDURE fill(IN most INTEGER, INOUT place REFERENCE)
  LANGUAGE JAVA EXTERNAL NAME "com.shop.Words.fill";
CREATE COMPUTE MODULE M
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    DECLARE one, other CHARACTER;
    CALL parts('ab', one, other);
    SET OutputRoot.XMLNSC.a.twice = twice('x', 3);
    SET OutputRoot.XMLNSC.a.parts = other || one;
    DECLARE place REFERENCE TO OutputRoot.XMLNSC.a;
    CALL fill(2, place);
    RETURN TRUE;
  END;
END MODULE;
"""
WORDS = (
    HEAD
    + """
public class Words {
  private static final String[] NAMES = {"p", "q", "r"};
  public static String twice(String word, Long times) {
    String found = "";
    for (long i = 0; i < times; i++) { found = found + word; }
    return found;
  }
  public static void parts(String word, String[] first, String[] rest) {
    first[0] = word.substring(0, 1);
    rest[0] = word.substring(1);
  }
  public static void fill(Long most, MbElement[] place) {
    try {
      for (int i = 0; i < most; i++) place[0].createElementAsLastChild(MbElement.TYPE_NAME_VALUE, NAMES[i], i);
    } catch (MbException e) { throw new RuntimeException(e); }
  }
}
"""
)


def write_routines(folder: Path) -> Project:
    (folder / "com" / "shop").mkdir(parents=True)
    (folder / "com" / "shop" / "Words.java").write_text(WORDS)
    (folder / "M.esql").write_text(ESQL)
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN")
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.node("ComIbmMQOutput", "Out", queueName="OUT")
    file.wire("In.out", "Compute.in").wire("Compute.out", "Out.in").write(folder / "F.msgflow")
    return Project(folder)


def test_routines_of_esql_run_by_their_source(qm: Any, run: Any, tmp_path: Path) -> None:
    project = write_routines(tmp_path)
    flow = project.flow("F")
    assert not check_flow(flow, project).findings
    qm.put("IN", b"x")
    run(flow, project=project)
    assert qm.get("OUT").body == b"<a><twice>xxx</twice><parts>ba</parts><p>0</p><q>1</q></a>"


def test_a_project_written_as_python_still_has_its_java(qm: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    write_routines(tmp_path / "old")
    flow_in(tmp_path / "old", NODE % "out.propagate(inAssembly);")
    target = tmp_path / "new"
    told = CliRunner().invoke(application(), ["flow", "import", str(tmp_path / "old"), "-o", str(target)])
    assert told.exit_code == 0, told.output
    project = Project(target)
    flow = project.flow("F")
    assert flow.node("Java").properties()["function"] == "java:com.shop.Change"
    assert not [each for each in check_flow(flow, project).findings if each.severity != "warning"]
    qm.put("IN", ORDER)
    run(flow, project=project)
    assert qm.get("OUT").body == ORDER
