"""XPath 1.0 over the message tree, for Route nodes.

`compile_xpath` turns an expression into a function; node-sets are lists of `tree.Reference` and texts.
Supported are all of XPath 1.0's grammar except comments and processing instructions, its core functions
except id() and lang(), and its axes except following, preceding and namespace. Expressions, their nesting and
the number of visited nodes are limited.

A node-set is in the order in which it was found, which after `//` may not be document order.
"""

from penstock.flow.xpath.expression import XPath, compile_xpath

__all__ = ["XPath", "compile_xpath"]
