"""Java source that is run here: the language, method by method, and what is refused with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow.java.library import registry
from penstock.flow.java.problem import JavaProblem
from penstock.flow.java.sources import JavaSources
from penstock.flow.java.throwables import Throwable

if TYPE_CHECKING:
    from pathlib import Path

CLASS = """package a.b;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
public class T {
  interface Shape { double area(); }
  static abstract class Named implements Shape { String name() { return "N" + area(); } abstract double area(); }
  class Inner { int up() { n++; return n + twice(); } }
  Inner inner() { return new Inner(); }
  Supplier<Integer> later(int more) { return () -> n + twice() + more; }
  Shape shape(double side) { return new Shape() { int asked = 0; public double area() { asked++; n += asked;
    return side * side; } }; }
  static final String[] NAMES = {"x", "y"};
  static int calls = 0;
  int n;
  T(int n) { this.n = n; }
  int twice() { return n * 2; }
  public String toString() { return "T" + n; }
  static class In extends T { In() { super(9); } int twice() { return super.twice() + 1; } }
  static String kind(int a) { return "int"; }
  static String kind(String a) { return "text"; }
  static class Bad extends Exception { Bad(String why) { super(why); } }
  static int add(int... all) { int sum = 0; for (int each : all) sum += each; return sum; }
  public static Object run() throws Exception {
    %s
  }
}
"""

# A body of a method, and what Java returns for it.
CASES = [
    ("return 7 / 2 + \"|\" + -7 / 2 + \"|\" + -7 % 3 + \"|\" + 7.0 / 2;", "3|-3|-1|3.5"),
    ("double d = 1; return \"\" + d + 1e10 + 0.0001 + 123456.5;", "1.01.0E101.0E-4123456.5"),
    ("int big = Integer.MAX_VALUE; big += 1; return big;", -(1 << 31)),
    ("return Integer.MAX_VALUE + 1;", -(1 << 31)),
    ("return Integer.MAX_VALUE + 1L;", 1 << 31),
    ("return (byte) 200 + \"|\" + (char) 98 + \"|\" + (int) 'c' + \"|\" + (int) 3.99 + \"|\" + (long) -2.5;",
     "-56|b|99|3|-2"),
    ("char c = 'a'; c++; c += 1; return \"\" + c + (c + 1);", "c100"),
    ("return (0xFF >>> 4) + \"|\" + (1 << 33) + \"|\" + (-8 >> 1) + \"|\" + (-8 >>> 28) + \"|\" + (5 & 6 | 8 ^ 1);",
     "15|2|-4|15|13"),
    ("int i = 5; int j = i++ + ++i; return i + \"|\" + j;", "7|12"),
    ("int[][] g = new int[2][3]; g[1][2] += 5; return g[1][2] + g.length + g[0].length;", 10),
    ("String s = null; return s + \"!\" + (s == null ? 1 : 2);", "null!1"),
    ("StringBuilder b = new StringBuilder(\"ab\"); b.append(1).append('c').append(2.5).append(true).insert(0, \"<\");"
     " return b.reverse().toString();", "eurt5.2c1ba<"),
    ("return \"a,b,,\".split(\",\").length + \"|\" + \"a,b,,\".split(\",\", -1).length + \"|\" + \"a1b22\".replaceAll(\"[0-9]+\", \"#\");",
     "2|4|a#b#"),
    ("return \" x \".trim() + \"hello\".substring(1, 3) + \"hello\".indexOf('l') + \"b\".compareTo(\"a\")"
     " + \"Hello\".hashCode();", "xel2169609650"),
    ("return String.format(\"%05d|%s|%.2f|%x|%-4s|%,d\", 42, \"z\", 1.005, 255, \"a\", 1234567);",
     "00042|z|1.01|ff|a   |1,234,567"),
    ("List<String> l = new ArrayList<>(Arrays.asList(\"b\", \"a\", \"cc\")); String[] s = {\"\"};"
     " l.forEach(x -> s[0] += x); l.sort((x, y) -> y.compareTo(x)); l.removeIf(x -> x.length() > 1); return s[0] + l;",
     "bacc[b, a]"),
    ("return \"\" + Stream.of(3, 1, 2, 2).filter(x -> x > 1).distinct().sorted().map(x -> x * 10).collect(Collectors.toList());",
     "[20, 30]"),
    ("Map<String, Integer> m = new TreeMap<>(); m.put(\"z\", 1); m.put(\"a\", 2); m.merge(\"a\", 5, Integer::sum);"
     " m.computeIfAbsent(\"k\", String::length); return m.entrySet().stream().sorted(Map.Entry.comparingByKey())"
     ".map(e -> e.getKey() + e.getValue()).collect(Collectors.joining(\",\", \"<\", \">\"));", "<a7,k1,z1>"),
    ("Map<Integer, List<String>> g = Stream.of(\"a\", \"bb\", \"c\").collect(Collectors.groupingBy(String::length));"
     " Map<String, Integer> t = Stream.of(\"a\", \"bb\").collect(Collectors.toMap(Function.identity(), x -> x.length(),"
     " (x, y) -> x, LinkedHashMap::new)); return g + \"\" + t;", "{1=[a, c], 2=[bb]}{a=1, bb=2}"),
    ("Comparator<String> c = new Comparator<String>() { public int compare(String x, String y) { return x.length() - "
     "y.length(); } }; List<String> l = new ArrayList<>(Arrays.asList(\"ccc\", \"a\", \"bb\")); Collections.sort(l, c);"
     " l.sort(c.reversed()); return \"\" + l;", "[ccc, bb, a]"),
    ("T t = new T(4); Shape s = t.shape(3); return \"\" + s.area() + s.area() + t.n + t.later(100).get();", "9.09.07121"),
    ("T t = new T(1); Inner i = t.inner(); i.up(); return i.up() + \"|\" + t.n;", "9|3"),
    ("double k = 2; Named n = new Named() { double area() { return k; } }; return n.name() + (n instanceof Shape);",
     "N2.0true"),
    ("BiFunction<Integer, Integer, Integer> f = (x, y) -> { if (x > y) return x; return y; };"
     " Function<Integer, T> make = T::new; Optional<T> o = Optional.of(make.apply(f.apply(3, 8)));"
     " return o.map(T::twice).orElse(0) + o.get().toString();", "16T8"),
    ("T t = new T(4); T in = new In(); return \"\" + t + t.twice() + in.twice() + NAMES[1] + new In();", "T4819yT9"),
    ("return kind(1) + kind(\"a\") + add() + add(1, 2, 3);", "inttext06"),
    ("Map<String, List<Integer>> m = new HashMap<>(); m.put(\"k\", new ArrayList<Integer>()); m.get(\"k\").add(7);"
     " String out = \"\"; for (Map.Entry<String, List<Integer>> e : m.entrySet()) out += e.getKey() + e.getValue();"
     " return out + m;", "k[7]{k=[7]}"),
    ("List<String> l = new ArrayList<String>(Arrays.asList(\"a\", \"b\")); l.remove(0); l.add(0, \"z\");"
     " Iterator<String> i = l.iterator(); String s = i.next(); return s + i.next() + i.hasNext();", "zbfalse"),
    ("outer: for (int i = 0; i < 3; i++) { for (int j = 0; ; j++) { if (j == 2) continue outer; calls += i + j; } }"
     " int c = calls; calls = 0; return c;", 9),
    ("int n = 0; do { n++; if (n == 3) break; } while (true); while (n < 10) n += 4; return n;", 11),
    ("switch (\"b\") { case \"a\": return 1; case \"b\": case \"c\": calls = 5; default: calls++; } int c = calls;"
     " calls = 0; return c;", 6),
    ("try { Integer.parseInt(\"q\"); return 0; } catch (NumberFormatException e) { return e.getMessage(); }",
     'For input string: "q"'),
    ("String s = \"\"; try { try { throw new Bad(\"no\"); } finally { s += \"f\"; } } catch (Bad e) { s += e.getMessage(); }"
     " return s;", "fno"),
    ("try { return NAMES[2]; } catch (ArrayIndexOutOfBoundsException e) { return \"out\"; }", "out"),
    ("try { return 1 / (NAMES.length - 2); } catch (ArithmeticException e) { return e.getMessage(); }", "/ by zero"),
    ("Object o = null; try { return o.toString(); } catch (NullPointerException e) { return \"null\"; }", "null"),
    ("Object o = \"a\"; return (o instanceof String) + \"|\" + (o instanceof Integer);", "true|false"),
    ("return \"é\".getBytes(\"UTF-8\").length + \"|\" + new String(\"é\".getBytes(\"UTF-8\"), \"UTF-8\")"
     " + \"é\".getBytes(\"ISO-8859-1\")[0];", "2|é-23"),
    ("return Long.toString(255, 16) + Integer.toBinaryString(5) + Integer.valueOf(\"7\") + Boolean.parseBoolean(\"TRUE\");",
     "ff1017true"),
    ("java.util.regex.Matcher m = java.util.regex.Pattern.compile(\"(a)(\\\\d+)\").matcher(\"xa12\");"
     " return m.find() + m.group(1) + m.group(2) + m.start();", "truea121"),
    ("java.math.BigDecimal a = new java.math.BigDecimal(\"1.10\"); return a.add(new java.math.BigDecimal(\"2\"))"
     ".toString();", "3.10"),
]  # fmt: skip


def run(folder: Path, body: str) -> Any:
    place = folder / "a" / "b"
    place.mkdir(parents=True, exist_ok=True)
    (place / "T.java").write_text(CLASS % body)
    (method,) = JavaSources(folder).static_method("a.b.T", "run")
    method.owner.begin()
    return method.call(None, ())


@pytest.mark.parametrize(("body", "expected"), CASES, ids=range(len(CASES)))
def test_a_body_returns_what_java_returns(tmp_path: Path, body: str, expected: Any) -> None:
    assert run(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("return javax.net.Thing.make();", "javax is not known here"),
        ("return new Socket(1);", "class Socket is not known here"),
        ("return NAMES[0].fold();", "String.fold with 0 arguments is not known here"),
        (
            "String s = NAMES[0]; return s == NAMES[1];",
            "== compares objects of class String, not their values",
        ),
        ("return missing;", "missing is not known here"),
        ("Runnable r = () -> missing(); return r;", "a method missing with 0 arguments is not known here"),
        ("return new T(1) { int n() { return missing; } };", "missing is not known here"),
        ("return new T(1, 2) { };", "a.b.T has no constructor with 2 arguments"),
        ("Runnable r = String::fold; return r;", "String.fold is not known here"),
        ("return new T(1, 2);", "a.b.T has no constructor with 2 arguments"),
        ("return add(1 2);", ") is expected, not 2"),
    ],
)
def test_what_is_not_known_is_refused_before_it_runs(tmp_path: Path, body: str, why: str) -> None:
    with pytest.raises(JavaProblem) as raised:
        run(tmp_path, body)
    assert raised.value.text == why
    assert str(raised.value).startswith("a/b/T.java, line 25:")


def test_an_exception_knows_where_it_was_thrown(tmp_path: Path) -> None:
    with pytest.raises(Throwable) as raised:
        run(tmp_path, 'int n = 1;\n    throw new IllegalStateException("no " + n);')
    assert (raised.value.file, raised.value.line) == ("a/b/T.java", 26)
    assert raised.value.toString() == "java.lang.IllegalStateException: no 1"


def test_a_name_of_the_library_is_one_class() -> None:
    names: dict[str, type] = {}
    for module in registry._MODULES:
        for python in vars(module).values():
            if registry._is_thing(python) and python.__module__ == module.__name__:
                for name in registry._names(python):
                    assert names.setdefault(name, python) is python
    assert set(names) <= set(registry.known_classes())
