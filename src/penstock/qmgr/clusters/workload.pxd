cimport cython

from penstock.qmgr.clusters.choice cimport Candidates, Chooser


cdef class Target:
    cdef public Workload workload
    cdef public str name
    cdef public object first
    cdef public object local
    cdef public object alias
    cdef long long _stamp
    cdef Candidates _candidates

    cpdef object next(self, int bind)
    @cython.locals(workload=Workload, candidates=Candidates)
    cpdef object choose(self)


cdef class Workload:
    cdef public object clusters
    cdef public Chooser chooser
    cdef public long long stamp

    @cython.locals(target=Target)
    cpdef object for_put(self, object handle, object route, object message)
