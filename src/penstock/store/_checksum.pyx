# cython: language_level=3, boundscheck=False, wraparound=False
"""CRC-32C (Castagnoli), the checksum of every file of the store.

With the processor's own instruction where there is one (SSE 4.2, ARMv8 CRC), checked at run time,
and with eight tables of 256 entries otherwise ("slicing by 8", Kounavis and Berry, 2005). It is no
protection against an adversary, only against accidents. `_writer` and `_scan` call it without the GIL.
"""

from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #define PS_CASTAGNOLI 0x82f63b78u
    static uint32_t ps_tables[8][256];
    static int ps_hardware = 0;

    static void ps_make_tables(void) {
        for (uint32_t n = 0; n < 256; n++) {
            uint32_t c = n;
            for (int bit = 0; bit < 8; bit++) c = (c & 1) ? (c >> 1) ^ PS_CASTAGNOLI : c >> 1;
            ps_tables[0][n] = c;
        }
        for (int t = 1; t < 8; t++)
            for (uint32_t n = 0; n < 256; n++)
                ps_tables[t][n] = (ps_tables[t - 1][n] >> 8) ^ ps_tables[0][ps_tables[t - 1][n] & 255];
    }

    static uint32_t ps_crc_tables(uint32_t c, const unsigned char *p, size_t n) {
        while (n >= 8) {
            uint32_t low = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
            low ^= c;
            c = ps_tables[7][low & 255] ^ ps_tables[6][(low >> 8) & 255]
              ^ ps_tables[5][(low >> 16) & 255] ^ ps_tables[4][low >> 24]
              ^ ps_tables[3][p[4]] ^ ps_tables[2][p[5]] ^ ps_tables[1][p[6]] ^ ps_tables[0][p[7]];
            p += 8; n -= 8;
        }
        while (n--) c = (c >> 8) ^ ps_tables[0][(c ^ *p++) & 255];
        return c;
    }

    #if defined(__x86_64__)
    #include <nmmintrin.h>
    __attribute__((target("sse4.2")))
    static uint32_t ps_crc_hardware(uint32_t c, const unsigned char *p, size_t n) {
        uint64_t wide = c;
        while (n >= 8) {
            uint64_t word;
            memcpy(&word, p, 8);
            wide = _mm_crc32_u64(wide, word);
            p += 8; n -= 8;
        }
        c = (uint32_t)wide;
        while (n--) c = _mm_crc32_u8(c, *p++);
        return c;
    }
    static int ps_has_hardware(void) { return __builtin_cpu_supports("sse4.2"); }
    #elif defined(__aarch64__) && defined(__linux__)
    #include <sys/auxv.h>
    #include <asm/hwcap.h>
    __attribute__((target("+crc")))
    static uint32_t ps_crc_hardware(uint32_t c, const unsigned char *p, size_t n) {
        while (n >= 8) {
            uint64_t word;
            memcpy(&word, p, 8);
            __asm__("crc32cx %w0, %w0, %x1" : "+r"(c) : "r"(word));
            p += 8; n -= 8;
        }
        while (n--) { uint32_t byte = *p++; __asm__("crc32cb %w0, %w0, %w1" : "+r"(c) : "r"(byte)); }
        return c;
    }
    static int ps_has_hardware(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
    #else
    static uint32_t ps_crc_hardware(uint32_t c, const unsigned char *p, size_t n) { return ps_crc_tables(c, p, n); }
    static int ps_has_hardware(void) { return 0; }
    #endif

    static void ps_crc_setup(void) { ps_make_tables(); ps_hardware = ps_has_hardware(); }
    static uint32_t ps_crc(uint32_t value, const void *data, size_t length) {
        uint32_t c = ~value;
        c = ps_hardware ? ps_crc_hardware(c, (const unsigned char *)data, length)
                        : ps_crc_tables(c, (const unsigned char *)data, length);
        return ~c;
    }
    static uint32_t ps_crc_by_tables(uint32_t value, const void *data, size_t length) {
        return ~ps_crc_tables(~value, (const unsigned char *)data, length);
    }
    """
    void ps_crc_setup() noexcept nogil
    uint32_t ps_crc(uint32_t value, const void *data, size_t length) noexcept nogil
    uint32_t ps_crc_by_tables(uint32_t value, const void *data, size_t length) noexcept nogil
    int ps_hardware

ps_crc_setup()


cdef uint32_t crc32c_of(uint32_t value, const void *data, size_t length) noexcept nogil:
    return ps_crc(value, data, length)


def crc32c(const unsigned char[::1] data not None, uint32_t value=0):
    """Return the CRC-32C of `data`, going on from `value` (the CRC of what came before).

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    cdef size_t length = data.shape[0]
    cdef uint32_t result
    if length == 0:
        return value
    if length < 65536:
        return ps_crc(value, &data[0], length)
    with nogil:
        result = ps_crc(value, &data[0], length)
    return result


def crc32c_by_tables(const unsigned char[::1] data not None, uint32_t value=0):
    """Return the same without the processor's instruction (the tests compare the two)."""
    if data.shape[0] == 0:
        return value
    return ps_crc_by_tables(value, &data[0], data.shape[0])


def has_hardware():
    """Return whether this processor has an instruction for it."""
    return bool(ps_hardware)
