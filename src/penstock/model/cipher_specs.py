"""CipherSpecs: the values of a channel's SSLCIPH and an address's `cipher=`, and what each requires of TLS.

Those of MQ that Python's TLS can enforce. It cannot choose among the suites of TLS 1.3, so only the preferred
one of these can be requested; the others are known, to report that.
"""

from __future__ import annotations

TLS_12, TLS_13 = "TLSv1.2", "TLSv1.3"

ANY_OF: dict[str, tuple[str, ...]] = {  # the versions that a general name allows
    "ANY": (TLS_12, TLS_13),
    "ANY_TLS12": (TLS_12,),
    "ANY_TLS12_OR_HIGHER": (TLS_12, TLS_13),
    "ANY_TLS13": (TLS_13,),
    "ANY_TLS13_OR_HIGHER": (TLS_13,),
}
SUITES_OF_TLS_12 = {  # by MQ's name: OpenSSL's
    "ECDHE_ECDSA_AES_128_CBC_SHA256": "ECDHE-ECDSA-AES128-SHA256",
    "ECDHE_ECDSA_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE_ECDSA_AES_256_CBC_SHA384": "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE_ECDSA_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE_RSA_AES_128_CBC_SHA256": "ECDHE-RSA-AES128-SHA256",
    "ECDHE_RSA_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE_RSA_AES_256_CBC_SHA384": "ECDHE-RSA-AES256-SHA384",
    "ECDHE_RSA_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_RSA_WITH_AES_128_CBC_SHA256": "AES128-SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256": "AES128-GCM-SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256": "AES256-SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384": "AES256-GCM-SHA384",
}
SUITE_OF_TLS_13 = "TLS_AES_256_GCM_SHA384"
NOT_TO_BE_CHOSEN = (
    "TLS_AES_128_GCM_SHA256",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_CCM_SHA256",
    "TLS_AES_128_CCM_8_SHA256",
)
ALL = (*ANY_OF, *SUITES_OF_TLS_12, SUITE_OF_TLS_13)
WHY_NOT = "the TLS library cannot choose among the suites of TLS 1.3: use ANY_TLS13 or TLS_AES_256_GCM_SHA384"


def versions_of(name: str) -> tuple[str, ...]:
    """Return the versions of TLS that a CipherSpec allows; none for an unknown one."""
    word = name.upper()
    if word in SUITES_OF_TLS_12:
        return (TLS_12,)
    return (TLS_13,) if word == SUITE_OF_TLS_13 else ANY_OF.get(word, ())


def fits(name: str, version: str, suite: str) -> bool:
    """Return whether the result of a handshake, in OpenSSL's terms, satisfies a CipherSpec."""
    word = name.upper()
    if version not in versions_of(word):
        return False
    return word in ANY_OF or suite == SUITES_OF_TLS_12.get(word, word)


def refusal(name: str) -> str:
    """Return why a CipherSpec cannot be used; empty if it can."""
    if versions_of(name):
        return ""
    if name.upper() in NOT_TO_BE_CHOSEN:
        return WHY_NOT
    return f"there is no such CipherSpec; there are {', '.join(ALL)}"
