"""Which reason a refusal of the operating system becomes."""

from __future__ import annotations

import errno

import pytest

from penstock.model import constants as mq
from penstock.store.failures import file_failure


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_no_more_room_is_one_reason_whoever_limits_it(code: int) -> None:
    """A stop goes on without its checkpoint then."""
    failure = file_failure(OSError(code, "no room"), "writing", "f")

    assert (failure.reason, failure.fields["errno"]) == (mq.PSRC_DISK_NEARLY_FULL, code)
