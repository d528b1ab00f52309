cimport cython

from penstock.channel.moves cimport Moves, Reader
from penstock.model.message cimport Message
from penstock.model.onward cimport Onward, original
from penstock.qmgr.engine cimport Engine
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match


@cython.locals(
    loaded=cython.longlong, message=Message, inner=Message, onward=Onward, alike=cython.bint,
)
cpdef long long load(
    Engine engine, Queue queue, Moves filled, UnitOfWork unit, bint fast, long room, long long bytes_max,
    long long length_max, int level, double now, Match match=*
) except -1

@cython.locals(message=Message, queue=Queue, onward=Onward)
cpdef Message unload(
    Engine engine, Reader reader, object destinations, UnitOfWork unit, long room, long long length_max,
    double now,
)
