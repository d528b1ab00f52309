"""MT540 to MT543: receive and deliver, free and against payment (ISO 15022).

The four types have one structure. Against payment, one occurrence of the amounts must be the settlement
amount. The allowed qualifiers of a field change with every release and are not in the table; mandatory ones
are.
"""

from __future__ import annotations

from penstock.tree.swift.table import add_table

STRUCTURE = """
A GENL M
  20C SEME M
  23G M
  98ACE PREP O
  99B O*
  A1 LINK O*
    22F LINK O
    13AB LINK O
    20C M
    36BD O
B TRADDET M
  94BHL O*
  98ABCE SETT M
  98ABCE O*
  90AB DEAL O
  99A O
  35B M
  B1 FIA O
    94B PLIS O
    22F O*
    12ABC O*
    11A DENO O
    98A O*
    92A O*
    13ABK O*
    17B O*
    90AB O*
    36BD O*
    35B O*
    70E FIAN O
  22F O*
  11A O*
  25D O*
  70E O*
C FIAC M*
  36BD SETT M*
  70D DENC O
  13B CERT O*
  95LPR O*
  97ABD SAFE M
  97AE O*
  94BCFL SAFE O*
  C1 BREAK O*
    13B LOTS O
    36BD LOTS O
    98ACE LOTS O
    90AB LOTS O
    22F PRIC O
D REPO O
  98ABC O*
  22F O*
  20C O*
  92AC O*
  99B O*
  19A O*
  70C REPO O
E SETDET M
  22F SETR M
  22F O*
  E1 SETPRTY M*
    95CLPQRS M*
    97AB SAFE O
    98AC PROC O
    20C PROC O
    70CDE O*
  E2 CSHPRTY O*
    95LPQRS M*
    97AE O*
    70CE O*
  E3 AMT O*
    17B O*
    19A M*
    98AC VALU O
    92B EXCH O
F OTHRPRTY O*
  95CLPQRS M*
  97A SAFE O
  70CDE O*
  20C PROC O
"""
PAID = (("AMT", "19A::SETT", "a type against payment says its settlement amount"),)

add_table("540", "Receive Free", STRUCTURE)
add_table("541", "Receive Against Payment", STRUCTURE, PAID)
add_table("542", "Deliver Free", STRUCTURE)
add_table("543", "Deliver Against Payment", STRUCTURE, PAID)
