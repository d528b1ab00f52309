"""`.map` files of the graphical mapping editor, run as they are: `read_graphical_map`.

`xpath` compiles expressions, `places` are what they walk over, `targets` is where values go, `transforms`
turns the elements of a file into functions, `database` has the tables. A file with anything that is not
understood is refused with the reason: nothing is guessed.
"""

from penstock.flow.mapping.graphical.map_file import GraphicalMap, read_graphical_map

__all__ = ["GraphicalMap", "read_graphical_map"]
