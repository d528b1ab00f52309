"""Pictures of flows: `layout` places the nodes, `svg` and `text` draw them. No library is needed."""
