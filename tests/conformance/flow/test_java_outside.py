"""Java that leaves its message: databases, files, the global cache, the names of MQ's numbers."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from penstock.esql.database.databases import Databases
from penstock.flow import Project
from penstock.flow.checking import check_flow
from penstock.flow.testing.rig import Rig
from tests.conformance.flow.test_java import HEAD, NODE, OUT, flow_in
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

IMPORTS = """import java.sql.*;
import java.io.*;
import java.nio.file.*;
import java.util.zip.*;
import com.ibm.mq.constants.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.*;
import javax.xml.transform.stream.*;
import javax.xml.xpath.*;
import org.w3c.dom.*;
"""
TEXT = """MbMessage m = new MbMessage(); copyMessageHeaders(inMessage, m);
      m.getRootElement().createElementAsLastChild("BLOB")
        .createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "BLOB", s.getBytes("UTF-8")); """
BROKERS = 'Connection c = getJDBCType4Connection("SHOP", JDBC_TransactionType.MB_TRANSACTION_AUTO); '
OWN = 'Connection c = DriverManager.getConnection("jdbc:mysql://host:3306/SHOP?x=y", "user", "word"); '
ADD = """PreparedStatement p = c.prepareStatement("INSERT INTO java_orders (a, b) VALUES (?, ?)");
      p.setInt(1, 7); p.setString(2, "x'y"); String s = "" + p.executeUpdate(); """
READ = """ResultSet r = c.createStatement().executeQuery("SELECT a, b, c FROM java_orders ORDER BY a");
      while (r.next()) s += "|" + r.getInt("a") + r.getString(2) + r.getString("c") + r.wasNull(); """


def given(qm: Any, run: Any, folder: Path, code: str) -> list[bytes]:
    """Run Java for one message; return what came out, and what went to the failure wire behind `!`."""
    qm.mqsc("DEFINE QLOCAL(FAILED)")
    project, flow = flow_in(folder, NODE.replace(HEAD, HEAD + IMPORTS) % code)
    assert not check_flow(flow, project).findings
    qm.put("IN", b"<a/>")
    run(flow, project=project)
    found = [(qm.get("OUT", wait=0) or None), (qm.get("FAILED", wait=0) or None)]
    return [mark + each.body for mark, each in zip((b"", b"!"), found, strict=True) if each is not None]


@pytest.fixture
def table(data_source: str) -> Any:
    databases = Databases({"SHOP": data_source})
    with databases.connection("SHOP").executed("DROP TABLE IF EXISTS java_orders"):
        pass
    with databases.connection("SHOP").executed("CREATE TABLE java_orders (a INT, b VARCHAR(20), c INT)"):
        pass
    databases.commit_all()

    def rows() -> list[tuple[Any, ...]]:
        with databases.connection("SHOP").executed("SELECT a, b FROM java_orders") as result:
            found = [tuple(each) for each in result.fetchall()]
        databases.rollback_all()
        return found

    yield rows
    databases.close()


@pytest.mark.parametrize("connection", [BROKERS, OWN])
def test_rows_are_written_and_read(qm: Any, run: Any, tmp_path: Path, table: Any, connection: str) -> None:
    out = given(qm, run, tmp_path, connection + ADD + READ + TEXT + OUT)
    assert out == [b"1|7x'ynulltrue"]
    assert table() == [(7, "x'y")]


@pytest.mark.parametrize(("connection", "left"), [(BROKERS, []), (OWN, [(7, "x'y")])])
def test_the_brokers_connection_is_of_the_flows_unit(
    tmp_path: Path, data_source: str, table: Any, connection: str, left: list[Any]
) -> None:
    project, flow = flow_in(
        tmp_path, NODE.replace(HEAD, HEAD + IMPORTS) % (connection + ADD + 'throw new Exception("no");')
    )
    flow.node("Failed").queue = "GONE"  # the catch wire fails too, so the unit is backed out
    with Rig(flow, project) as rig:
        rig.qm.mqsc("DELETE QLOCAL(GONE)")
        rig.urls["SHOP"] = data_source
        rig.put(b"<a/>")
        rig.run()
    assert table() == left


@pytest.mark.parametrize(
    ("connection", "named"),
    [
        ('Connection c = getJDBCType4Connection("{Policies}:NOBODY", null); ', "NOBODY"),
        ("Connection c = getJDBCType4Connection(SOURCE, null); ", "NOBODY"),
        ('Connection c = DriverManager.getConnection("jdbc:db2://host:1/OTHER", "user", "word"); ', "OTHER"),
    ],
)
def test_the_check_names_a_data_source_that_only_java_names(
    tmp_path: Path, connection: str, named: str
) -> None:
    code = NODE.replace(HEAD, HEAD + IMPORTS) % (connection + ADD + TEXT + OUT)
    project, flow = flow_in(
        tmp_path,
        code.replace("private int seen", 'private static final String SOURCE = "NOBODY"; private int seen'),
    )

    [found] = check_flow(flow, project).findings
    assert found.severity == "warning"
    assert "its Java names it" in found.text
    assert f"penstock dsn add {named} URL" in found.text


def test_a_transaction_of_its_own_is_rolled_back(qm: Any, run: Any, tmp_path: Path, table: Any) -> None:
    code = OWN + "c.setAutoCommit(false); " + ADD + "c.rollback(); " + READ + TEXT + OUT
    assert given(qm, run, tmp_path, code) == [b"1"]
    assert table() == []


def test_files_are_written_read_and_listed(qm: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    code = f"""
      File folder = new File("{tmp_path}/files"); File file = new File(folder, "a.txt");
      FileWriter w = new FileWriter(file); w.write("one\\ntwo"); w.close();
      FileWriter more = new FileWriter(file, true); more.write("!"); more.close();
      BufferedReader b = new BufferedReader(new FileReader(file)); b.readLine();
      String s = b.readLine() + folder.list().length + folder.listFiles()[0].getName() + file.length();
      s += new String(Files.readAllBytes(Paths.get(folder.getPath(), "a.txt"))).length();
      s += file.delete() + "" + file.exists() + (new File("/nowhere/x").list() == null);
      try {{ new FileInputStream("/nowhere/x"); }} catch (IOException e) {{ s += e.getMessage(); }}
      {TEXT}{OUT}"""
    out = b"two!1a.txt88truefalsetrue/nowhere/x (No such file or directory)"
    assert given(qm, run, tmp_path, code) == [out]


def test_a_zip_archive_is_written(qm: Any, run: Any, tmp_path: Path) -> None:
    code = (
        """
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      ZipOutputStream zip = new ZipOutputStream(bytes);
      zip.putNextEntry(new ZipEntry("a/b.txt")); zip.write("hello".getBytes()); zip.closeEntry();
      zip.putNextEntry(new ZipEntry("c.txt")); zip.write("more".getBytes()); zip.close();
      MbMessage m = new MbMessage(); copyMessageHeaders(inMessage, m);
      m.getRootElement().createElementAsLastChild("BLOB")
        .createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "BLOB", bytes.toByteArray()); """
        + OUT
    )
    (out,) = given(qm, run, tmp_path, code)
    with zipfile.ZipFile(io.BytesIO(out)) as archive:
        assert {each: archive.read(each) for each in archive.namelist()} == {
            "a/b.txt": b"hello",
            "c.txt": b"more",
        }


def test_the_global_cache_keeps_values(qm: Any, run: Any, tmp_path: Path) -> None:
    code = f"""
      MbGlobalMap map = MbGlobalMap.getGlobalMap("Prices");
      String s = "" + map.get("k") + map.containsKey("k"); map.put("k", "one"); map.put(5, 7);
      try {{ map.put("k", "two"); }} catch (MbException e) {{ s += "twice"; }}
      try {{ map.update("other", "two"); }} catch (MbException e) {{ s += "never"; }}
      map.update("k", "two");
      s += (String) map.get("k") + MbGlobalMap.getGlobalMap("Prices").get(5)
        + MbGlobalMap.getGlobalMap("Other").get("k") + map.remove("k") + map.containsKey("k");
      {TEXT}{OUT}"""
    assert given(qm, run, tmp_path, code) == [b"nullfalsetwicenevertwo7nulltwofalse"]


def test_a_routine_of_esql_reaches_the_cache(qm: Any, run: Any, tmp_path: Path) -> None:
    (tmp_path / "Cache.java").write_text(
        "import com.ibm.broker.plugin.*;\npublic class Cache {\n"
        "  public static String keep(String key, String value)"
        ' throws MbException { MbGlobalMap map = MbGlobalMap.getGlobalMap("M"); map.put(key, value);'
        " return (String) map.get(key); } }\n"
    )
    (tmp_path / "M.esql").write_text(
        "CREATE FUNCTION keep(IN k CHARACTER, IN v CHARACTER) RETURNS CHARACTER LANGUAGE JAVA\n"
        ' EXTERNAL NAME "Cache.keep";\n'
        "CREATE COMPUTE MODULE M CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN\n"
        " SET OutputRoot.XMLNSC.a = keep('k', 'v'); RETURN TRUE; END; END MODULE;\n"
    )
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN")
    file.node("ComIbmCompute", "Compute", computeExpression="esql://routine/#M.Main")
    file.node("ComIbmMQOutput", "Out", queueName="OUT")
    file.wire("In.out", "Compute.in").wire("Compute.out", "Out.in").write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    qm.put("IN", b"x")
    run(project.flow("F"), project=project)
    assert qm.get("OUT").body == b"<a>v</a>"


def test_the_numbers_of_mq_have_names(qm: Any, run: Any, tmp_path: Path) -> None:
    code = f"""String s = MQConstants.lookupReasonCode(MQConstants.MQRC_NOT_AUTHORIZED)
        + MQConstants.lookup("2", "MQCMD_.*") + MQConstants.lookup(-99999, "MQRC_.*") + CMQC.MQPER_PERSISTENT;
      {TEXT}{OUT}"""
    assert given(qm, run, tmp_path, code) == [b"MQRC_NOT_AUTHORIZEDMQCMD_INQUIRE_Q_MGR1"]


WRITE = """
      StringWriter w = new StringWriter(); Transformer t = TransformerFactory.newInstance().newTransformer();
      t.setOutputProperty(OutputKeys.%s, "yes"); t.transform(new DOMSource(%s), new StreamResult(w));
      String s = w.toString(); """
DOCUMENTS = [
    (
        """Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
      Element root = d.createElement("Rows"); Element row = d.createElement("Row");
      root.appendChild(row); d.appendChild(root);
      row.setAttribute("n", "1"); row.setAttribute("n", "2");
      Element cell = d.createElementNS("urn:x", "x:Cell"); row.appendChild(cell); cell.setTextContent("a<b");
      Element note = d.createElement("Note");
      note.appendChild(d.createTextNode("hi")); root.appendChild(note);
      """
        + WRITE % ("OMIT_XML_DECLARATION", "d"),
        b'<Rows><Row n="2"><NS1:Cell xmlns:NS1="urn:x">a&lt;b</NS1:Cell></Row><Note>hi</Note></Rows>',
    ),
    (
        """Document d = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
      Element root = d.createElement("a"); d.appendChild(root); root.appendChild(d.createElement("b"));
      """
        + WRITE % ("INDENT", "d"),
        b'<?xml version="1.0" encoding="UTF-8"?><a>\n<b />\n</a>',
    ),
    (
        """DocumentBuilder b = DocumentBuilderFactory.newInstance().newDocumentBuilder();
      Document d = b.parse(new ByteArrayInputStream(
        "<o k='v'><i>1</i><i>2</i><g><i>3</i></g></o>".getBytes("UTF-8")));
      XPath path = XPathFactory.newInstance().newXPath();
      NodeList all = (NodeList) path.evaluate("//i", d, XPathConstants.NODESET);
      Node second = all.item(1); Node copy = second.cloneNode(true); copy.setTextContent("x");
      d.getDocumentElement().appendChild(copy);
      d.getDocumentElement().removeChild(all.item(0));
      String f = all.getLength() + second.getTextContent() + second.getParentNode().getNodeName()
        + d.getDocumentElement().getAttribute("k")
        + d.getDocumentElement().getElementsByTagName("i").getLength()
        + d.getDocumentElement().getFirstChild().getFirstChild().getNodeValue();
      """
        + WRITE % ("OMIT_XML_DECLARATION", "d")
        + "s += f;",
        b'<o k="v"><i>2</i><g><i>3</i></g><i>x</i></o>32ov32',
    ),
]


@pytest.mark.parametrize(("code", "expected"), DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_a_document_is_made_searched_and_written(
    qm: Any, run: Any, tmp_path: Path, code: str, expected: bytes
) -> None:
    assert given(qm, run, tmp_path, code + TEXT + OUT) == [expected]


def test_bad_xml_is_an_exception_of_java(qm: Any, run: Any, tmp_path: Path) -> None:
    code = f"""String s = "";
      try {{ DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(
        new ByteArrayInputStream("<a><b></a>".getBytes("UTF-8"))); }}
      catch (org.xml.sax.SAXException e) {{ s = "SAX"; }}
      {TEXT}{OUT}"""
    assert given(qm, run, tmp_path, code) == [b"SAX"]
