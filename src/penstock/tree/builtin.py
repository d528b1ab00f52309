"""The domains that come with Penstock, entered in the register. Importing `penstock.tree` does this."""

from __future__ import annotations

from penstock.tree._domains import register
from penstock.tree._json import JSON
from penstock.tree._xml import XML
from penstock.tree._xmlns import XMLNS
from penstock.tree._xmlnsc import XMLNSC
from penstock.tree.blob import BLOB
from penstock.tree.properties import Properties

for _domain in (XMLNSC(), XMLNS(), XML(), JSON(), BLOB(), Properties()):
    register(_domain)
