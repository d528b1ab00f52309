"""Turns specifications into pictures and gives the script that draws them live, by the package vl-convert.

It brings Vega, Vega-Lite and Vega-Embed with it, so nothing is loaded from elsewhere, neither when the
report is made nor when it is read.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.lab.report.charts import Spec

VERSION = "5.21"
_SIZE = re.compile(r'<svg ([^>]*?)width="(\d+)" height="(\d+)"')
_SPOKEN = re.compile(
    r' (?:aria-\w+|role|font-family|class|pointer-events|stroke-miterlimit)="[^"]*"'
)  # the tables contain the same data
_LONG = re.compile(r"\d+\.\d{2,}")
_LIVE = """
window.addEventListener("load", function () {
  document.querySelectorAll("figure[data-spec]").forEach(function (figure) {
    var live = figure.querySelector(".live");
    var spec = JSON.parse(document.getElementById(figure.dataset.spec).textContent);
    spec.width = figure.clientWidth < 480 ? %d : %d;
    vegaEmbed(live, spec, {actions: false, renderer: "svg", loader: {load: null}})
      .then(function () { figure.classList.add("drawn"); })
      .catch(function () { live.remove(); });
  });
});
"""


@cache
def converter() -> Any:
    """Return the package that draws; 8604 without it."""
    try:
        import vl_convert
    except ImportError:
        raise error(mq.PSRC_LAB_PACKAGE, "charts are drawn by the package vl-convert-python") from None
    return vl_convert


def svg(spec: Spec) -> str:
    """Return a chart as SVG that has no size of its own but its proportions."""
    text: str = converter().vegalite_to_svg(spec, vl_version=VERSION)
    text = _LONG.sub(lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), _SPOKEN.sub("", text))
    return _SIZE.sub(r'<svg \1data-width="\2"', text, count=1).replace("<svg ", '<svg role="img" ', 1)


def picture(spec: Spec) -> str:
    """Return a chart as an SVG file, with a size of its own and a white ground."""
    framed = {**spec, "background": "white", "padding": 12}
    text: str = converter().vegalite_to_svg(framed, vl_version=VERSION)
    return text


def script(narrow: int, wide: int) -> str:
    """Return Vega, Vega-Lite and Vega-Embed, and what draws every chart of the page with them."""
    text: str = converter().javascript_bundle(_LIVE % (narrow, wide), vl_version=VERSION)
    return text.replace("</script", "<\\/script")


def embedded(spec: Spec) -> str:
    """Return a specification as text for a page; it names no address."""
    plain = {key: value for key, value in spec.items() if key != "$schema"}
    return json.dumps(plain, separators=(",", ":")).replace("<", "\\u003c")
