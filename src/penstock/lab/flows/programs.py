"""The Compute programs of the broker's performance report, in ESQL."""

from __future__ import annotations

MODULE = """CREATE {kind} MODULE {name}
CREATE FUNCTION Main() RETURNS BOOLEAN
BEGIN
{body}
RETURN TRUE;
END;
END MODULE;
"""
SIMPLE = "SET OutputRoot = InputRoot;\nSET OutputRoot.XML.CSIM.A1 = 'x';"
LOOP = """SET C = CARDINALITY(OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[]);
SET i = 1;
WHILE i <= C DO
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Name =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[i].COMPONENT;
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Transport.(XML.attr)Type = 'A';
  SET OutputRoot.XML.CSIM.TestCase.ProcessingPath.Component[i].Transport.Queue =
      OutputRoot.XML.CSIM.TestCase.Stack.ProcessingPath.Element[i].QUEUE;
  SET i = i + 1;
END WHILE;
"""
HEAD = "SET OutputRoot = InputRoot;\nDECLARE i INTEGER;\nDECLARE C INTEGER;\n"
NESTED = """DECLARE style CHARACTER;
SET style = 'Style';
SET OutputRoot.XML.CSIM.Data.Statement[] =
(SELECT
    'Monthly' AS (XML.Attribute)Type,
    'Full' AS (0x03000000){style}[1],
    I.Initial || COALESCE(I.Initial[2], '') AS Customer.Initials,
    I.Surname AS Customer.Name,
    I.Balance AS Customer.Balance,
    (SELECT II.Description AS Desc, CAST(II.Price AS FLOAT) * 1.6 AS Cost, II.Quantity AS Qty
     FROM I.Item[] AS II WHERE II.Price > 0.0) AS Purchases.Article[],
    (SELECT SUM(CAST(II.Price AS FLOAT) * CAST(II.Quantity AS FLOAT) * 1.6) FROM I.Item[] AS II) AS Amount,
    'Dollars' AS Amount.(XML.Attribute)Currency
 FROM InputRoot.XML.CSIM.Data.Invoice[] AS I WHERE I.Surname <> 'Shop');
"""
