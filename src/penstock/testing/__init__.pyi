from penstock.esql.testing import Outcome as Outcome
from penstock.esql.testing import differences as differences
from penstock.esql.testing import run_module as run_module
from penstock.flow.testing.rig import Rig as Rig
from penstock.flow.testing.rig import Seen as Seen
from penstock.flow.testing.rig import Spy as Spy
