"""Maps: how the fields of one message become the fields of another, in Python, YAML or a `.map` file.

`Map` is the definition; `esql_text` turns it into an ESQL module, so that a map is as fast as handwritten
ESQL and `penstock esql` can show it. Maps of the graphical editor are in `graphical/`. The Mapping node runs
both.
"""

from penstock.flow.mapping.definition import Each, Field, Map, Rows
from penstock.flow.mapping.yaml_map import read_map

__all__ = ["Each", "Field", "Map", "Rows", "read_map"]
