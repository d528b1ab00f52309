"""EBCDIC code pages that Python lacks, written as differences from cp037.

A table of code page facts, not a codec: `ccsid` turns the tables into codecs. Each national page keeps 0x15
as NEL and 0x25 as LF, as cp037 does; the newline rule of MQ is in `ccsid`. The pages 1140-1149 are their
national page with the euro in place of the currency sign.
"""

from __future__ import annotations

# Each item is a byte in hexadecimal and its character, where it differs from cp037.
_DIFFERENCES = {
    37: "",
    273: "43{ 4AÄ 4F! 59~ 5AÜ 5F^ 63[ 6Aö 7C§ A1ß B0¢ B5@ BA¬ BB| C0ä CC¦ D0ü DC} E0Ö EC\\ FC]",
    277: "47} 4A# 4F! 5A¤ 5BÅ 5F^ 67$ 6Aø 70¦ 7BÆ 7CØ 80@ 9C{ 9E[ 9F] A1ü B0¢ BA¬ BB| C0æ D0å DC~",
    278: "43{ 47} 4A§ 4F! 51` 5A¤ 5BÅ 5F^ 63# 67$ 6Aö 71\\ 79é 7BÄ 7CÖ 9F] A1ü B0¢ B5[ BA¬ BB|"
    " C0ä CC¦ D0å DC~ E0É EC@",
    280: "44{ 48\\ 4A° 4F! 51] 54} 58~ 5Aé 5F^ 6Aò 79ù 7B£ 7C§ 90[ A1ì B0¢ B1# B5@ BA¬ BB|"
    " C0à CD¦ D0è DD` E0ç",
    284: "49¦ 4A[ 5A] 69# 6Añ 7BÑ A1¨ B0¢ BA^ BB! BD~",
    285: "4A$ 5B£ A1¯ B0¢ B1[ BA^ BC~",
    297: "44@ 48\\ 4A° 4F! 51{ 54} 5A§ 5F^ 6Aù 79µ 7B£ 7Cà 90[ A0` A1¨ B0¢ B1# B5] BA¬ BB|"
    " BD~ C0é D0è DD¦ E0ç",
    500: "4A[ 4F! 5A] 5F^ B0¢ BA¬ BB|",
    871: "4AÞ 4F! 5AÆ 5FÖ 79ð 7CÐ 8C` 8E{ 9C} 9E] A1ö AC@ AE[ B0¢ BA¬ BB| BE\\ C0þ CC~ D0æ E0\u00b4 EC^",
    1047: "5F^ AD[ B0¬ BAÝ BB¨ BD]",
}

_WITH_EURO = {
    1140: 37,
    1141: 273,
    1142: 277,
    1143: 278,
    1144: 280,
    1145: 284,
    1146: 285,
    1147: 297,
    1148: 500,
    1149: 871,
}


def ebcdic_table(ccsid: int) -> str | None:
    """Return the 256 characters of one of these pages, or None for any other page."""
    if ccsid in _WITH_EURO:
        return _table(_WITH_EURO[ccsid]).replace("¤", "€")
    return _table(ccsid) if ccsid in _DIFFERENCES else None


def _table(ccsid: int) -> str:
    characters = list(bytes(range(256)).decode("cp037"))
    for item in _DIFFERENCES[ccsid].split():
        characters[int(item[:2], 16)] = item[2]
    return "".join(characters)
