cpdef void ahead(list targets, Py_ssize_t place) noexcept
