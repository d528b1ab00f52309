"""Test projects of the toolkit: recorded messages and JUnit classes that `penstock flow test` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.main import application
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from pathlib import Path

ESQL = """CREATE COMPUTE MODULE Price
  CREATE FUNCTION Main() RETURNS BOOLEAN
  BEGIN
    SET OutputRoot.Properties = InputRoot.Properties;
    SET OutputRoot.JSON.Data.total = CAST(InputRoot.XMLNSC.order.price AS INTEGER) * 2;
    SET OutputRoot.JSON.Data.made = CURRENT_TIMESTAMP;
    SET OutputRoot.JSON.Data.id = UUIDASCHAR;
    PROPAGATE TO TERMINAL 'out1';
    SET OutputLocalEnvironment.Destination.HTTP.ReplyStatusCode = 202;
    SET OutputRoot.JSON.Data.total = 0;
    RETURN TRUE;
  END;
END MODULE;
"""
MESSAGE = """<?xml version="1.0" encoding="UTF-8"?>
<MessageAssembly xmlns:iib="http://com.ibm.iib/lt/1.0"><environment/><localEnvironment/><exceptionList/>
<message iib:parser="WSRoot"><Properties iib:parser="WSPROPERTYPARSER">
<Priority iib:valueType="INTEGER">3</Priority></Properties>%s</message></MessageAssembly>"""
GIVEN = MESSAGE % (
    '<XMLNSC iib:parser="xmlnsc"><order><price iib:valueType="CHARACTER">21</price></order></XMLNSC>'
)
EXPECTED = MESSAGE % (
    '<JSON iib:parser="json"><Data><total iib:valueType="INTEGER">42</total>'
    '<made iib:valueType="TIMESTAMP">2024-01-01 00:00:00.000</made>'
    '<id iib:valueType="CHARACTER">some</id></Data></JSON>'
)
JAVA = """package test;
import java.io.InputStream;
import org.junit.jupiter.api.*;
import com.ibm.integration.test.v1.*;
import com.ibm.integration.test.v1.exception.TestException;
import static com.ibm.integration.test.v1.Matchers.*;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

public class PriceTest {
  @AfterEach
  public void cleanupTest() throws TestException { TestSetup.restoreAllMocks(); }

  private TestMessageAssembly recorded(String path) throws TestException {
    TestMessageAssembly made = new TestMessageAssembly();
    try {
      InputStream stream = Thread.currentThread().getContextClassLoader().getResourceAsStream(path);
      if (stream == null) { throw new TestException("Unable to locate " + path); }
      made.buildFromRecordedMessageAssembly(stream);
    } catch (Exception ex) { throw new TestException("Failed to load", ex); }
    return made;
  }

  @Test
  public void aPriceIsDoubled() throws TestException {
    SpyObjectReference reference = new SpyObjectReference().application("Shop").messageFlow("F").node("Price");
    NodeSpy spy = new NodeSpy(reference);
    spy.evaluate(recorded("/given.mxml"), true, "in");
    assertThat(spy, nodeCallCountIs(1));
    assertThat(spy, terminalPropagateCountIs("out1", 1));
    assertThat(spy.propagatedMessageAssembly("out1", 1),
      equalsMessage(recorded("/expected.mxml")).ignorePath("/Message/JSON/Data/id", false).ignoreTimeStamps());
    TestMessageAssembly last = spy.propagatedMessageAssembly("out", 1);
    assertEquals("202", last.localEnvironmentPath("Destination.HTTP.ReplyStatusCode").getValueAsString());
    %s
  }
}
"""


def project(folder: Path, more: str) -> Path:
    shop, tests = folder / "Shop", folder / "Shop_Test"
    (tests / "src" / "main" / "java" / "test").mkdir(parents=True)
    (tests / "src" / "main" / "resources").mkdir()
    shop.mkdir()
    (shop / "application.descriptor").write_text("<appDescriptor/>")
    (shop / "Price.esql").write_text(ESQL)
    file = (
        FlowFile().node("ComIbmMQInput", "In", queueName="IN").node("ComIbmMQOutput", "Out", queueName="OUT")
    )
    compute = {"computeExpression": "esql://routine/#Price.Main", "computeMode": "destinationAndMessage"}
    file.node("ComIbmCompute", "Price", **compute)
    file.wire("In.out", "Price.in").wire("Price.out", "Out.in").write(shop / "F.msgflow")
    (tests / "testproject.descriptor").write_text("<testproject/>")
    (tests / "src" / "main" / "resources" / "given.mxml").write_text(GIVEN)
    (tests / "src" / "main" / "resources" / "expected.mxml").write_text(EXPECTED)
    (tests / "src" / "main" / "java" / "test" / "PriceTest.java").write_text(JAVA % more)
    return folder


@pytest.mark.parametrize(
    ("more", "exit_code", "said"),
    [
        ("", 0, "1 passed, 0 failed"),
        (
            'assertEquals(43, last.messagePath("JSON.Data.total").getValue());',
            1,
            "line 35: java.lang.AssertionError: 0 instead of 43",
        ),
        (
            'assertThat(spy.propagatedMessageAssembly("out1", 1), equalsMessage(recorded("/given.mxml")));',
            1,
            "children ['Properties', 'JSON'] instead of ['Properties', 'XMLNSC']",
        ),
        ('recorded("/none.mxml");', 1, "Unable to locate /none.mxml"),
        ("new NodeStub(reference);", 1, "line 35: class NodeStub is not known here"),
        (
            'new NodeSpy(new SpyObjectReference().messageFlow("F").node("Gone")).evaluate(recorded("/given.mxml"), true, "in");',
            1,
            "flow F has no node Gone; there are: In, Out, Price",
        ),
    ],
)
def test_a_test_project_runs(tmp_path: Path, more: str, exit_code: int, said: str) -> None:
    told = CliRunner().invoke(application(), ["flow", "test", str(project(tmp_path, more))])
    assert said in told.output
    assert told.exit_code == exit_code
