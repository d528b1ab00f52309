# cython: language_level=3
"""MRM CWF: fixed structures of binary and text fields, as in COBOL and C programs.

The domain keeps one plan for each character set and encoding of messages; the scanner (`_scanner`) and the
writer (`_writer`) follow it. `model.cwf` makes the plans.
"""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.records._scanner cimport scan_cwf
from penstock.tree.records._writer cimport write_cwf
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.model._part cimport CHOICE, SHARED, has_value
from penstock.tree.model._sibling_run cimport note_sharing

PLANS_MAX = 64
globals().update(FIXED=FIXED, PREFIXED=PREFIXED, TERMINATED=TERMINATED, REFERRED=REFERRED, TO_END=TO_END, COMPUTED=COMPUTED)


cdef class CwfPart(Part):
    """An element or a group in a fixed structure."""

    def __init__(self, str name not None, str namespace not None=""):
        super().__init__(name, namespace)
        self.unit = 1
        self.align = 1
        self.count = 1
        self.slot = self.length_slot = self.count_slot = self.when_slot = -1


cdef class CwfPlan:
    """The plan that the scanner and the writer follow."""

    def __init__(self, CwfPart root not None, int slots, checker=None):
        self.root = root
        self.slots = slots
        self.checker = checker
        note_sharing(root)
        self.same = is_same(root) and slots == 0 and checker is None and not has_value(root)


cdef bint is_same(CwfPart group) noexcept:
    """Record which fields are plain; say whether nothing below a group depends on the bytes of a message."""
    cdef CwfPart part
    cdef bint same = group.compose != CHOICE
    for part in group.parts:
        if part.codec is None:
            same = is_same(part) and same
        part.plain = (part.codec is not None and part.named and part.length_kind == FIXED and part.slot < 0
                      and part.repeat_kind == FIXED and part.count == 1 and part.align == 1 and not part.uncertain
                      and part.lead == part.trail == part.bits == 0 and part.sharing != SHARED)
        same = same and part.repeat_kind == FIXED and part.length_kind == FIXED
    return same


cdef class CwfDomain(Domain):
    """One message of a model in CWF."""

    cdef dict plans
    cdef CwfPlan last
    cdef int last_ccsid, last_encoding

    def __init__(self, name, *, ccsid=0, encoding=0, namespaces=False):
        super().__init__(name, text=False, namespaces=namespaces, family=name, ccsid=ccsid,
                         encoding=encoding)
        self.plans = {}

    def plan(self, ccsid, encoding):
        """Return the plan for a character set and an encoding."""
        raise NotImplementedError

    cdef CwfPlan plan_for(self, int ccsid, int encoding):
        if self.last is not None and self.last_ccsid == ccsid and self.last_encoding == encoding:
            return self.last
        found = self.plans.get((ccsid, encoding))
        if found is None:
            found = self.plan(ccsid, encoding)
            if len(self.plans) >= PLANS_MAX:
                self.plans.clear()
            self.plans[ccsid, encoding] = found
        self.last = found
        self.last_ccsid, self.last_encoding = ccsid, encoding
        return self.last

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_cwf(self.plan_for(tree.ccsid, tree.encoding), tree, folder)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        return write_cwf(self.plan_for(tree.output_ccsid, tree.output_encoding), tree, folder, out)
