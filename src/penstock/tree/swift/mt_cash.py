"""MT103, MT202 and MT940: a customer's credit transfer, one between banks, and an account statement."""

from __future__ import annotations

from penstock.tree.swift.table import add_table

add_table(
    "103",
    "Single Customer Credit Transfer",
    """
20 M
13C O*
23B M
23E O*
26T O
32A M
33B O
36 O
50AFK M
51A O
52AD O
53ABD O
54ABD O
55ABD O
56ACD O
57ABCD O
59AF- M
70 O
71A M
71F O*
71G O
72 O
77B O
""",
)
add_table(
    "202",
    "General Financial Institution Transfer",
    """
20 M
21 M
13C O*
32A M
52AD O
53ABD O
54ABD O
56AD O
57ABD O
58AD M
72 O
""",
)
add_table(
    "940",
    "Customer Statement Message",
    """
20 M
21 O
25P- M
28C M
60FM M
group O*
  61 M
  86 O
62FM M
64 O
65 O*
86 O
""",
)
