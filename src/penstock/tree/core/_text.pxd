"""Text in C: one vectorised look at a body, UTF-8, XML names, references. Used by scanners and writers.

Only C functions over a pointer and a length; nothing here knows elements, Python objects or errors. A
function reads no byte behind the length that it is given.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #ifndef PS_TREE_TEXT
    #define PS_TREE_TEXT
    #include <stdint.h>
    #include <stddef.h>
    #include <string.h>

    #define PS_UNUSED __attribute__((unused))

    /* What bytes a body holds: 1 control, 2 not ASCII, 4 ']', 8 carriage return, 16 '&', 32 backslash, 64 tab
       or line feed. One accumulator a question: only so do compilers vectorise the loop. */
    #define PS_LOOK_BODY \
        unsigned char bad = 0, high = 0, bracket = 0, cr = 0, amp = 0, slash = 0, blank = 0; \
        for (size_t i = 0; i < n; i++) { \
            unsigned char c = s[i]; \
            bad |= (unsigned char)((c < 0x20) & (c != 9) & (c != 10) & (c != 13)); \
            high |= c; bracket |= (unsigned char)(c == ']'); cr |= (unsigned char)(c == 13); \
            amp |= (unsigned char)(c == '&'); slash |= (unsigned char)(c == 92); \
            blank |= (unsigned char)((c == 9) | (c == 10)); \
        } \
        return (bad ? 1 : 0) | ((high & 0x80) ? 2 : 0) | (bracket ? 4 : 0) | (cr ? 8 : 0) | (amp ? 16 : 0) \
            | (slash ? 32 : 0) | (blank ? 64 : 0);

    /* Whether text needs a second look before it is written: 1 XML markup, 2 control or CR, 4 quote, slash or
       backslash, 8 not ASCII. */
    #define PS_ESCAPE_BODY \
        unsigned char less = 0, amp = 0, more = 0, control = 0, quote = 0, slash = 0, back = 0, high = 0; \
        for (size_t i = 0; i < n; i++) { \
            unsigned char c = s[i]; \
            less |= (unsigned char)(c == '<'); amp |= (unsigned char)(c == '&'); more |= (unsigned char)(c == '>'); \
            control |= (unsigned char)(c < 0x20); quote |= (unsigned char)(c == 34); \
            slash |= (unsigned char)(c == '/'); back |= (unsigned char)(c == 92); high |= c; \
        } \
        return ((less | amp | more) ? 1 : 0) | (control ? 2 : 0) | ((quote | slash | back) ? 4 : 0) \
            | ((high & 0x80) ? 8 : 0);

    #if defined(__x86_64__) && defined(__GNUC__)
    #define PS_WIDE 1
    #endif
    #if defined(__GNUC__) && !defined(__clang__)
    #define PS_VECTOR __attribute__((optimize("O3")))
    #else
    #define PS_VECTOR
    #endif

    /* Two accumulators, each for one half, because each waits for itself. */
    #define PS_ASCII_BODY \
        const unsigned char *half = s + n / 2; \
        unsigned char high = s[n - 1], other = 0; \
        for (size_t i = 0; i < n / 2; i++) { high |= s[i]; other |= half[i]; } \
        return (high | other) < 0x80;

    PS_UNUSED PS_VECTOR static int ps_ascii_any(const unsigned char *s, size_t n) { PS_ASCII_BODY }
    PS_UNUSED PS_VECTOR static int ps_look_any(const unsigned char *s, size_t n) { PS_LOOK_BODY }
    PS_UNUSED PS_VECTOR static int ps_escape_any(const unsigned char *s, size_t n) { PS_ESCAPE_BODY }
    #ifdef PS_WIDE
    PS_UNUSED PS_VECTOR __attribute__((target("avx2")))
    static int ps_ascii_wide(const unsigned char *s, size_t n) { PS_ASCII_BODY }
    PS_UNUSED PS_VECTOR __attribute__((target("avx2")))
    static int ps_look_wide(const unsigned char *s, size_t n) { PS_LOOK_BODY }
    PS_UNUSED PS_VECTOR __attribute__((target("avx2")))
    static int ps_escape_wide(const unsigned char *s, size_t n) { PS_ESCAPE_BODY }
    static int ps_has_wide = -1;
    PS_UNUSED static int ps_wide(void) {
        if (ps_has_wide < 0) ps_has_wide = __builtin_cpu_supports("avx2") ? 1 : 0;
        return ps_has_wide;
    }
    #else
    #define ps_ascii_wide ps_ascii_any
    #define ps_look_wide ps_look_any
    #define ps_escape_wide ps_escape_any
    #define ps_wide() 0
    #endif

    /* Whether every byte is ASCII. */
    PS_UNUSED static int ps_ascii(const char *s, size_t n) {
        uint64_t w, high = 0;
        if (n >= 64) return ps_wide() ? ps_ascii_wide((const unsigned char *)s, n) : ps_ascii_any((const unsigned char *)s, n);
        for (; n >= 8; s += 8, n -= 8) { memcpy(&w, s, 8); high |= w; }
        for (; n; s++, n--) high |= (unsigned char)*s;
        return !(high & 0x8080808080808080ULL);
    }
    PS_UNUSED static int ps_look(const char *s, size_t n) {
        return ps_wide() ? ps_look_wide((const unsigned char *)s, n) : ps_look_any((const unsigned char *)s, n);
    }
    PS_UNUSED static int ps_escape_look(const char *s, size_t n) {
        return ps_wide() ? ps_escape_wide((const unsigned char *)s, n) : ps_escape_any((const unsigned char *)s, n);
    }

    /* 1 may begin a name, 2 may be in a name, 4 white space; bytes from 0x80 on are checked by ps_name_valid */
    static const unsigned char ps_class[256] = {
        ['a' ... 'z'] = 3, ['A' ... 'Z'] = 3, ['_'] = 3, [':'] = 3, [0x80 ... 0xFF] = 3,
        ['0' ... '9'] = 2, ['-'] = 2, ['.'] = 2, [' '] = 4, [9] = 4, [10] = 4, [13] = 4
    };

    /* The character that begins at s, its length in *k; 0 in *k when the bytes are no UTF-8. */
    PS_UNUSED static uint32_t ps_character(const unsigned char *s, const unsigned char *e, int *k) {
        uint32_t v; unsigned char c = *s;
        *k = 0;
        if (c < 0x80) { *k = 1; return c; }
        if (c < 0xC2) return 0;
        if (c < 0xE0) {
            if (e - s < 2 || (s[1] & 0xC0) != 0x80) return 0;
            *k = 2; return (uint32_t)(c & 31) << 6 | (s[1] & 63);
        }
        if (c < 0xF0) {
            if (e - s < 3 || (s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80) return 0;
            v = (uint32_t)(c & 15) << 12 | (uint32_t)(s[1] & 63) << 6 | (s[2] & 63);
            if (v < 0x800 || (v >= 0xD800 && v < 0xE000)) return 0;
            *k = 3; return v;
        }
        if (c > 0xF4 || e - s < 4 || (s[1] & 0xC0) != 0x80 || (s[2] & 0xC0) != 0x80 || (s[3] & 0xC0) != 0x80) return 0;
        v = (uint32_t)(c & 7) << 18 | (uint32_t)(s[1] & 63) << 12 | (uint32_t)(s[2] & 63) << 6 | (s[3] & 63);
        if (v < 0x10000 || v > 0x10FFFF) return 0;
        *k = 4; return v;
    }

    /* Where the text stops being UTF-8 (or, for XML, holds U+FFFE or U+FFFF): an offset, or -1. */
    PS_UNUSED static ptrdiff_t ps_utf8_bad(const char *s0, size_t n, int xml) {
        const unsigned char *s = (const unsigned char *)s0, *e = s + n;
        int k; uint32_t v; uint64_t w;
        while (s < e) {
            if (*s < 0x80) {
                while (e - s >= 8) { memcpy(&w, s, 8); if (w & 0x8080808080808080ULL) break; s += 8; }
                while (s < e && *s < 0x80) s++;
                continue;
            }
            v = ps_character(s, e, &k);
            if (!k || (xml && (v == 0xFFFE || v == 0xFFFF))) return s - (const unsigned char *)s0;
            s += k;
        }
        return -1;
    }

    PS_UNUSED static int ps_name_start(uint32_t v) {
        return (v >= 0xC0 && v <= 0x2FF && v != 0xD7 && v != 0xF7) || (v >= 0x370 && v <= 0x1FFF && v != 0x37E)
            || v == 0x200C || v == 0x200D || (v >= 0x2070 && v <= 0x218F) || (v >= 0x2C00 && v <= 0x2FEF)
            || (v >= 0x3001 && v <= 0xD7FF) || (v >= 0xF900 && v <= 0xFDCF) || (v >= 0xFDF0 && v <= 0xFFFD)
            || (v >= 0x10000 && v <= 0xEFFFF);
    }

    /* Whether the bytes are a Name of XML 1.0, fifth edition; with `colon` 0 an NCName. */
    PS_UNUSED static int ps_name_valid(const char *s0, size_t n, int colon) {
        const unsigned char *s = (const unsigned char *)s0, *e = s + n;
        int first = 1, k;
        if (!n) return 0;
        while (s < e) {
            if (*s < 0x80) {
                if (!(ps_class[*s] & (first ? 1 : 2)) || (!colon && *s == ':')) return 0;
                s++;
            } else {
                uint32_t v = ps_character(s, e, &k);
                if (!k) return 0;
                if (!ps_name_start(v) && (first || !(v == 0xB7 || (v >= 0x300 && v <= 0x36F) || v == 0x203F || v == 0x2040)))
                    return 0;
                s += k;
            }
            first = 0;
        }
        return 1;
    }

    PS_UNUSED static int ps_xml_character(uint32_t v) {
        return v >= 0x20 ? !((v >= 0xD800 && v < 0xE000) || v == 0xFFFE || v == 0xFFFF || v > 0x10FFFF)
                         : v == 9 || v == 10 || v == 13;
    }

    /* One reference; p is after the '&'. Its length with the ';', 0 if it is not a reference, -1 if it is the name
       of an entity that is not one of the five. */
    PS_UNUSED static int ps_reference(const char *p, const char *e, uint32_t *value) {
        size_t room = (size_t)(e - p);
        if (room >= 3 && !memcmp(p, "lt;", 3)) { *value = '<'; return 3; }
        if (room >= 3 && !memcmp(p, "gt;", 3)) { *value = '>'; return 3; }
        if (room >= 4 && !memcmp(p, "amp;", 4)) { *value = '&'; return 4; }
        if (room >= 5 && !memcmp(p, "quot;", 5)) { *value = '"'; return 5; }
        if (room >= 5 && !memcmp(p, "apos;", 5)) { *value = 39; return 5; }
        const char *q = p;
        if (!room) return 0;
        if (*q != '#') {
            if (!(ps_class[(unsigned char)*q] & 1)) return 0;
            while (q < e && ps_class[(unsigned char)*q] & 2) q++;
            return q < e && *q == ';' && ps_name_valid(p, (size_t)(q - p), 0) ? -1 : 0;
        }
        uint32_t v = 0; int digits = 0;
        q++;
        if (q < e && *q == 'x') {
            for (q++; q < e; q++, digits++) {
                unsigned char c = (unsigned char)*q, d;
                if (c >= '0' && c <= '9') d = c - '0';
                else if ((c | 32) >= 'a' && (c | 32) <= 'f') d = (c | 32) - 'a' + 10;
                else break;
                v = v * 16 + d;
                if (v > 0x10FFFF) return 0;
            }
        } else {
            for (; q < e && *q >= '0' && *q <= '9'; q++, digits++) {
                v = v * 10 + (uint32_t)(*q - '0');
                if (v > 0x10FFFF) return 0;
            }
        }
        if (!digits || q >= e || *q != ';' || !ps_xml_character(v)) return 0;
        *value = v;
        return (int)(q + 1 - p);
    }

    /* Where a reference of the text is wrong: an offset, or -1. *entity shows whether it is an unknown entity. */
    PS_UNUSED static ptrdiff_t ps_references_bad(const char *p, size_t n, int *entity) {
        const char *s = p, *e = p + n; uint32_t v;
        while ((p = (const char *)memchr(p, '&', (size_t)(e - p)))) {
            int k = ps_reference(p + 1, e, &v);
            if (k <= 0) { *entity = k < 0; return p - s; }
            p += 1 + k;
        }
        return -1;
    }

    PS_UNUSED static char *ps_put_character(char *o, uint32_t v) {
        if (v < 0x80) *o++ = (char)v;
        else if (v < 0x800) { *o++ = (char)(0xC0 | v >> 6); *o++ = (char)(0x80 | (v & 63)); }
        else if (v < 0x10000) {
            *o++ = (char)(0xE0 | v >> 12); *o++ = (char)(0x80 | (v >> 6 & 63)); *o++ = (char)(0x80 | (v & 63));
        } else {
            *o++ = (char)(0xF0 | v >> 18); *o++ = (char)(0x80 | (v >> 12 & 63));
            *o++ = (char)(0x80 | (v >> 6 & 63)); *o++ = (char)(0x80 | (v & 63));
        }
        return o;
    }

    /* XML text as it is meant: line ends become LF; references are replaced unless `cdata`; in an attribute white
       space becomes a space (XML 1.0, 2.11 and 3.3.3). The room must hold n bytes. Checked text only. */
    PS_UNUSED static size_t ps_unescape(const char *p, size_t n, char *room, int attribute, int cdata) {
        const char *e = p + n; char *o = room; uint32_t v = 0;
        while (p < e) {
            char c = *p;
            if (c == '&' && !cdata) {
                int k = ps_reference(p + 1, e, &v);
                if (k <= 0) { *o++ = c; p++; continue; }
                p += 1 + k;
                o = ps_put_character(o, v);
            } else if (c == 13) {
                *o++ = attribute ? ' ' : 10;
                p++;
                if (p < e && *p == 10) p++;
            } else if (attribute && (c == 10 || c == 9)) { *o++ = ' '; p++; }
            else { *o++ = c; p++; }
        }
        return (size_t)(o - room);
    }

    PS_UNUSED static int ps_hex4(const char *p, uint32_t *value) {
        uint32_t v = 0;
        for (int i = 0; i < 4; i++) {
            unsigned char c = (unsigned char)p[i];
            if (c >= '0' && c <= '9') v = v * 16 + (c - '0');
            else if ((c | 32) >= 'a' && (c | 32) <= 'f') v = v * 16 + (c | 32) - 'a' + 10;
            else return 0;
        }
        *value = v;
        return 1;
    }

    /* One JSON escape; p is after the backslash. Its length, or 0: invalid, or half of a surrogate pair. */
    PS_UNUSED static int ps_json_escape(const char *p, const char *e, uint32_t *value) {
        uint32_t low;
        if (p >= e) return 0;
        switch (*p) {
            case '"': case '\\\\': case '/': *value = (uint32_t)*p; return 1;
            case 'b': *value = 8; return 1;
            case 'f': *value = 12; return 1;
            case 'n': *value = 10; return 1;
            case 'r': *value = 13; return 1;
            case 't': *value = 9; return 1;
            case 'u': break;
            default: return 0;
        }
        if (e - p < 5 || !ps_hex4(p + 1, value)) return 0;
        if (*value >= 0xDC00 && *value < 0xE000) return 0;
        if (*value < 0xD800 || *value >= 0xE000) return 5;
        if (e - p < 11 || p[5] != '\\\\' || p[6] != 'u' || !ps_hex4(p + 7, &low)) return 0;
        if (low < 0xDC00 || low >= 0xE000) return 0;
        *value = 0x10000 + ((*value - 0xD800) << 10) + (low - 0xDC00);
        return 11;
    }

    /* A JSON string as it is meant; the room must hold n bytes. Checked strings only. */
    PS_UNUSED static size_t ps_json_unescape(const char *p, size_t n, char *room) {
        const char *e = p + n; char *o = room; uint32_t v = 0;
        while (p < e) {
            if (*p != '\\\\') { *o++ = *p++; continue; }
            int k = ps_json_escape(p + 1, e, &v);
            p += 1 + k;
            if (k) o = ps_put_character(o, v);
        }
        return (size_t)(o - room);
    }

    PS_UNUSED static uint32_t ps_hash(const char *p, size_t n, uint64_t seed) {
        uint64_t h = seed ^ (uint64_t)n * 0x9E3779B97F4A7C15ULL, w;
        uint32_t a, b;
        while (n > 8) { memcpy(&w, p, 8); h = (h ^ w) * 0x9FB21C651E98DF25ULL; h ^= h >> 32; p += 8; n -= 8; }
        if (n >= 4) { memcpy(&a, p, 4); memcpy(&b, p + n - 4, 4); w = (uint64_t)b << 32 | a; }
        else if (n) w = (unsigned char)p[0] | (uint64_t)(unsigned char)p[n >> 1] << 8 | (uint64_t)(unsigned char)p[n - 1] << 16;
        else w = 0;
        h = (h ^ w) * 0x9FB21C651E98DF25ULL;
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93ULL;
        return (uint32_t)(h ^ h >> 32);
    }
    #endif
    """
    const unsigned char ps_class[256]
    bint ps_ascii(const char *s, size_t n) noexcept nogil
    int ps_look(const char *s, size_t n) noexcept nogil
    int ps_escape_look(const char *s, size_t n) noexcept nogil
    uint32_t ps_character(const unsigned char *s, const unsigned char *e, int *k) noexcept nogil
    Py_ssize_t ps_utf8_bad(const char *s, size_t n, int xml) noexcept nogil
    int ps_name_valid(const char *s, size_t n, int colon) noexcept nogil
    int ps_xml_character(uint32_t v) noexcept nogil
    int ps_reference(const char *p, const char *e, uint32_t *value) noexcept nogil
    Py_ssize_t ps_references_bad(const char *p, size_t n, int *entity) noexcept nogil
    size_t ps_unescape(const char *p, size_t n, char *room, int attribute, int cdata) noexcept nogil
    int ps_json_escape(const char *p, const char *e, uint32_t *value) noexcept nogil
    size_t ps_json_unescape(const char *p, size_t n, char *room) noexcept nogil
    uint32_t ps_hash(const char *p, size_t n, uint64_t seed) noexcept nogil

cdef enum:
    LOOK_CONTROL = 1
    LOOK_HIGH = 2
    LOOK_BRACKET = 4
    LOOK_RETURN = 8
    LOOK_AMPERSAND = 16
    LOOK_BACKSLASH = 32
    LOOK_BLANK = 64
    ESCAPE_MARKUP = 1
    ESCAPE_CONTROL = 2
    ESCAPE_JSON = 4
    ESCAPE_HIGH = 8
