"""The map of a shared data set's pages: which are in use, and where the next body goes.

One bit for each page. A body begins at the next page of the current block and goes on in free blocks; when
no block is free, in holes of used ones. Only memory: `shared_data_set` saves it and guards it with its
lock. Invariant: a page in use is never given again before it was released.
"""

from __future__ import annotations

from array import array

from penstock.store.body_reference import EXTENT_BYTES_MAX, PAGE_BYTES

EXTENT_PAGES_MAX = EXTENT_BYTES_MAX // PAGE_BYTES
HEADER_PAGES = 1  # page 0 is the data set's header


class SpaceMap:
    """Pages in use of one data set. Sizes are whole blocks."""

    def __init__(self, pages: int, block_pages: int) -> None:
        self.block_pages = block_pages
        self.pages = 0
        self.used = 0
        self._bits = bytearray()
        self._used_in_block = array("H")
        self._free: list[int] = []  # blocks without a used page; the last is taken first
        self._page = self._end = 0  # what is left of the current block
        self.grow(pages)
        self.mark(0, HEADER_PAGES)
        self.find_free_blocks()

    @property
    def free(self) -> int:
        """Pages that are not in use."""
        return self.pages - self.used

    @property
    def percent(self) -> int:
        """How full it is."""
        return self.used * 100 // self.pages if self.pages else 100

    @property
    def blocks_used(self) -> int:
        """Blocks with at least one page in use."""
        return sum(1 for used in self._used_in_block if used)

    def grow(self, pages: int) -> None:
        """Add pages, rounded down to whole blocks."""
        blocks = pages // self.block_pages
        first = len(self._used_in_block)
        self._used_in_block.extend([0] * blocks)
        self.pages += blocks * self.block_pages
        self._bits.extend(bytes((self.pages + 7) // 8 - len(self._bits)))
        self._free[:0] = range(first + blocks - 1, first - 1, -1)

    def take(self, pages: int) -> list[tuple[int, int]] | None:
        """Mark pages as used and return them as extents (page, pages); None if there are not so many."""
        if pages > self.free:
            return None
        extents: list[tuple[int, int]] = []
        while pages > 0:
            if self._page == self._end:
                self._next_run()
            count = min(pages, self._end - self._page)
            self._add(extents, self._page, count)
            self.mark(self._page, count)
            self._page += count
            pages -= count
        return extents

    def mark(self, page: int, pages: int) -> bool:
        """Mark pages as used; False, and nothing done, if one of them is used or outside."""
        if pages < 1 or page + pages > self.pages:
            return False
        first, last, mask = page >> 3, (page + pages + 7) >> 3, ((1 << pages) - 1) << (page & 7)
        value = int.from_bytes(self._bits[first:last], "little")
        if value & mask:
            return False
        self._bits[first:last] = (value | mask).to_bytes(last - first, "little")
        self._count(page, pages, 1)
        return True

    def release(self, page: int, pages: int) -> bool:
        """Mark pages as free; False, and nothing done, if one of them is free already or outside."""
        if page < HEADER_PAGES or pages < 1 or page + pages > self.pages:
            return False
        first, last, mask = page >> 3, (page + pages + 7) >> 3, ((1 << pages) - 1) << (page & 7)
        value = int.from_bytes(self._bits[first:last], "little")
        if value & mask != mask:
            return False
        self._bits[first:last] = (value & ~mask).to_bytes(last - first, "little")
        self._count(page, pages, -1)
        return True

    def find_free_blocks(self) -> None:
        """Look for free blocks anew, after pages were marked from outside."""
        self._page = self._end = 0
        self._free = [block for block, used in enumerate(self._used_in_block) if not used][::-1]

    def encode(self) -> bytes:
        """Return the map as bytes."""
        return bytes(self._bits)

    def load(self, data: bytes) -> None:
        """Take over a saved map of the same size."""
        self._bits[:] = data
        self.used = 0
        for block in range(len(self._used_in_block)):
            count = self._block_bits(block).bit_count()
            self._used_in_block[block] = count
            self.used += count
        self.find_free_blocks()

    def _count(self, page: int, pages: int, sign: int) -> None:
        self.used += sign * pages
        size, current = self.block_pages, (self._end - 1) // self.block_pages
        while pages > 0:
            block = page // size
            count = min(pages, (block + 1) * size - page)
            self._used_in_block[block] += sign * count
            if sign < 0 and not self._used_in_block[block] and block != current:
                self._free.append(block)
            page += count
            pages -= count

    def _next_run(self) -> None:
        """Make a free block, or else a hole, the current one."""
        size = self.block_pages
        left = (self._end - 1) // size
        if self._end and not self._used_in_block[left]:
            self._free.insert(0, left)  # everything in it was released while it was current
        self._page = self._end = 0
        if self._free:
            block = self._free.pop()
            self._page, self._end = block * size, (block + 1) * size
            return
        for block, used in enumerate(self._used_in_block):
            if used < size:
                self._page, self._end = self._hole(block)
                return
        raise AssertionError("the count of free pages is wrong")

    def _hole(self, block: int) -> tuple[int, int]:
        """Return the first run of free pages of a block."""
        free = ~self._block_bits(block) & ((1 << self.block_pages) - 1)
        start = (free & -free).bit_length() - 1
        run = free >> start
        length = (~run & (run + 1)).bit_length() - 1
        return block * self.block_pages + start, block * self.block_pages + start + length

    def _block_bits(self, block: int) -> int:
        page = block * self.block_pages
        first, last = page >> 3, (page + self.block_pages + 7) >> 3
        value = int.from_bytes(self._bits[first:last], "little") >> (page & 7)
        return value & ((1 << self.block_pages) - 1)

    @staticmethod
    def _add(extents: list[tuple[int, int]], page: int, pages: int) -> None:
        if extents and sum(extents[-1]) == page and extents[-1][1] + pages <= EXTENT_PAGES_MAX:
            extents[-1] = (extents[-1][0], extents[-1][1] + pages)
        else:
            extents.append((page, pages))
