"""SELECT over message trees: columns, ITEM, THE, joins, aggregates, nesting."""

from __future__ import annotations

import pytest

from .programs import out, value

R = "OutputRoot.XMLNSC.r"
SALE = (
    b"""<s><c><n>Ann</n><x a="1">p</x><b>3</b><b>4</b></c><c><n>Bob</n><b>5</b></c><k>Ann</k><k>Cid</k></s>"""
)
C = "InputRoot.XMLNSC.s.c[]"

CASES = [
    (f"SET {R}.c[] = SELECT A.n FROM {C} AS A;", "<c><n>Ann</n></c><c><n>Bob</n></c>"),
    (f"SET {R}.c[] = SELECT A.n AS who.name FROM {C} AS A;",
     "<c><who><name>Ann</name></who></c><c><who><name>Bob</name></who></c>"),
    (f"SET {R}.c[] = SELECT A.x FROM {C} AS A;", '<c><x a="1">p</x></c><c/>'),
    (f"SET {R}.c[] = SELECT A.n AS (XMLNSC.Attribute)n FROM {C} AS A WHERE A.n = 'Bob';", '<c n="Bob"/>'),
    (f"SET {R}.c[] = (SELECT * FROM {C} AS A WHERE A.n = 'Bob');", "<c><n>Bob</n><b>5</b></c>"),
    (f"SET {R}.c[] = SELECT A.* FROM {C} AS A WHERE A.n LIKE 'B%';", "<c><n>Bob</n><b>5</b></c>"),
    (f"SET {R}.v[] = SELECT ITEM A.n FROM {C} AS A;", "<v>Ann</v><v>Bob</v>"),
    (f"SET {R}.v[] = SELECT ITEM A.n || '!' FROM {C} AS A;", "<v>Ann!</v><v>Bob!</v>"),
    (f"SET {R}.v = THE(SELECT ITEM A.n FROM {C} AS A WHERE A.n > 'Ann');", "<v>Bob</v>"),
    (f"SET {R}.v = THE(SELECT A.n, A.b FROM {C} AS A);", "<v><n>Ann</n><b>3</b></v>"),
    (f"SET {R}.z = 1; SET {R}.v = THE(SELECT A.n FROM {C} AS A WHERE FALSE);", "<z>1</z>"),
    (f"SET {R}.n = SELECT COUNT(*) FROM {C} AS A;", "<n>2</n>"),
    (f"SET {R}.n = (SELECT SUM(CAST(B AS INTEGER)) FROM {C} AS A, A.b[] AS B);", "<n>12</n>"),
    (f"SET {R}.n = SELECT MAX(A.n) FROM {C} AS A; SET {R}.m = SELECT MIN(A.n) FROM {C} AS A;",
     "<n>Bob</n><m>Ann</m>"),
    (f"SET {R}.n = SELECT COUNT(A.x) FROM {C} AS A;", "<n>1</n>"),
    (f"SET {R}.n = COALESCE((SELECT SUM(A.no) FROM {C} AS A), 'null');", "<n>null</n>"),
    (f"SET {R}.n = SELECT COUNT(*) FROM {C} AS A WHERE FALSE;", "<n>0</n>"),
    (f"SET {R}.t[] = SELECT COUNT(*) AS n, MAX(A.n) AS m FROM {C} AS A;", "<t><n>2</n><m>Bob</m></t>"),
    (f"SET {R}.n = SELECT SUM(1) + 1 FROM {C} AS A;", "<n>3</n>"),
    (f"SET {R}.j[] = SELECT A.n, K AS k FROM {C} AS A, InputRoot.XMLNSC.s.k[] AS K WHERE A.n = K;",
     "<j><n>Ann</n><k>Ann</k></j>"),
    (f"SET {R}.j[] = SELECT ITEM A.n || K FROM {C} AS A, InputRoot.XMLNSC.s.k[] AS K;",
     "<j>AnnAnn</j><j>AnnCid</j><j>BobAnn</j><j>BobCid</j>"),
    (f"SET {R}.c[] = SELECT A.n, (SELECT ITEM B FROM A.b[] AS B) AS bs.b[] FROM {C} AS A;",
     "<c><n>Ann</n><bs><b>3</b><b>4</b></bs></c><c><n>Bob</n><bs><b>5</b></bs></c>"),
    (f"SET {R}.c[] = SELECT A.n, (SELECT B AS v FROM A.b[] AS B) AS l.b[] FROM {C} AS A;",
     "<c><n>Ann</n><l><b><v>3</v></b><b><v>4</v></b></l></c><c><n>Bob</n><l><b><v>5</v></b></l></c>"),
    (f"SET {R}.x[1] = 'old'; SET {R}.x[2] = 'old'; SET {R}.x[] = SELECT ITEM A.n FROM {C} AS A WHERE A.n = 'Bob';",
     "<x>Bob</x>"),
    (f"SET {R}.x[] = LIST{{1, 2, 3}}; SET {R}.x[] = SELECT X AS v FROM {R}.x[] AS X WHERE X > 1;",
     "<x><v>2</v></x><x><v>3</v></x>"),
    (f"SET {R}.n = CARDINALITY(SELECT A.n FROM {C} AS A);", "<n>2</n>"),
    (f"IF EXISTS(SELECT A.n FROM {C} AS A WHERE A.n = 'Bob') THEN SET {R}.y = 1; END IF;", "<y>1</y>"),
    (f"FOR f AS (SELECT A.n FROM {C} AS A) DO SET {R}.x[<] = f.n; END FOR;", "<x>Bob</x>"),
    (f"DECLARE w ROW; SET w.l[] = SELECT A.n FROM {C} AS A; SET {R}.n = w.l[2].n;", "<n>Bob</n>"),
    (f"SET {R} = ROW(SELECT A.n FROM {C} AS A);", "<Column0><n>Ann</n></Column0><Column0><n>Bob</n></Column0>"),
    (f"SET {R} = ROW('a', 5 AS b, InputRoot.XMLNSC.s.k[] AS c);", "<Column0>a</Column0><b>5</b><c>Ann</c><c>Cid</c>"),
    (f"SET {R}.n = SELECT COUNT(DISTINCT L) FROM LIST{{1, 2, 2, 3}} AS L;", "<n>3</n>"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), CASES)
def test_select(body: str, expected: str) -> None:
    assert out(body, SALE) == expected


def test_the_of_a_select_is_a_value_with_item() -> None:
    assert value(f"THE(SELECT ITEM A.b FROM {C} AS A WHERE A.n = 'Bob')", SALE) == "5"
