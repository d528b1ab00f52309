"""XPath 1.0 over the message tree: what Route nodes decide by.

`compile_xpath` makes a function of an expression; node-sets are lists of `tree.Reference` and texts. All of
XPath 1.0's grammar but comments and processing instructions, its core functions but id() and lang(), and
its axes but following, preceding and namespace. Expressions, their nesting and what they visit have limits.

A node-set is in the order in which it was found, which behind `//` may not be that of the message.
"""

from penstock.flow.xpath.expression import XPath, compile_xpath

__all__ = ["XPath", "compile_xpath"]
