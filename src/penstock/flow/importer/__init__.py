"""The importer: `.msgflow` and `.subflow` files, libraries, BAR files and overrides become flows.

In order: `xml_reading` (bytes to elements) -> `xmi` (elements to a description) -> `workspace` (which file a
name means) -> `building` with `node_table` (a description to a `Flow`). `bar` unpacks archives, `overrides`
reads what is deployed with them, `python_writer` writes a flow as Python. `Project` is the caller.
"""
