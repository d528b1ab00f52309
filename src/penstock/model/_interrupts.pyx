# cython: language_level=3
"""Signals that arrive in the middle of a call: the call is finished, then the handler runs.

Python runs signal handlers in the main thread, between two bytecodes and inside calls that wait. Compiled code
has no bytecodes, so no handler interrupts it until it calls a Python function. Between `begin` and `end`
(`with uninterrupted`) Python functions may be called too: a stand-in replaces every handler and records the
signals that arrive. Handlers run only in a wait (`point`, `acquire`). An exception of a handler is raised there
as `Interrupted`, so that it is not mistaken for a failure of the wait. Neither `begin` nor `end` raises
anything; the exception of a handler is raised when the call has returned (`raise_later`). Other threads never
run handlers, so this costs them nothing.
"""

import os
import signal
import threading

import _signal

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport PyObject

cdef extern from "Python.h":
    int Py_AddPendingCall(int (*call)(void *) except -1, void *argument) noexcept
    PyObject *PyEval_GetFrame() noexcept
    void *PyInterpreterState_Get() noexcept
    void *PyInterpreterState_Main() noexcept

cdef extern from "<pthread.h>" nogil:
    unsigned long pthread_self()

cdef extern from "<signal.h>" nogil:
    struct sigaction_t "sigaction":
        void *sa_handler
        int sa_flags
    int c_sigaction "sigaction"(int number, const sigaction_t *new, sigaction_t *old)

cdef enum:
    NUMBERS = 128
    TRIES = 100  # to change a handler while signals keep coming
    LOOK_SECONDS = 1  # how often a wait looks for a signal that came just before it

cdef object get_handler = _signal.getsignal
cdef object set_handler = _signal.signal
cdef list numbers = [int(number) for number in sorted(signal.valid_signals()) if number < NUMBERS]
cdef sigaction_t actions[NUMBERS]  # as they were before the stand-in
cdef unsigned long main_thread = 0  # the one that runs handlers; 0 when they may always run
cdef int depth = 0  # of `begin`s without `end`
cdef int open_at = -1  # the depth at which a wait lets handlers run
cdef int engines = 0  # engine locks that the main thread holds
cdef bint for_engine = False  # one of the `begin`s ends with the last of these
cdef dict replaced = {}  # handlers by number
cdef dict arrived = {}  # numbers of signals that came meanwhile, in order
cdef list raised = []  # by handlers, to be raised when the call has returned
cdef bint scheduled = False


class Interrupted(BaseException):
    """A signal handler has raised something in a wait."""

    def __init__(self, cause):
        super().__init__(cause)
        self.cause = cause


cdef inline bint handles_signals() noexcept:
    return pthread_self() == main_thread


cpdef bint begin() noexcept:
    """Hold handlers back until `end`; True if handlers can run in this thread."""
    global depth
    if not handles_signals():
        return False
    depth += 1
    if depth == 1:
        _replace()
    return True


cpdef void end() noexcept:
    """Let handlers run again; those whose signals came meanwhile run now."""
    global depth
    if not handles_signals() or depth == 0:
        return
    if depth > 1:
        depth -= 1
        return
    _restore()


cdef class Uninterrupted:
    """`with uninterrupted:` holds handlers back."""

    def __enter__(self):
        begin()

    def __exit__(self, *failure):
        end()


uninterrupted = Uninterrupted()


def held_back():
    """Return whether handlers are held back in this thread."""
    return handles_signals() and depth > 0 and open_at != depth


def engine_is_exposed():
    """Return whether a Python function that runs now could be cut off in the middle of the engine's work."""
    return handles_signals() and engines > 0 and not held_back()


def hold_back(bint wanted):
    """Return whether handlers are ever held back in this process; not needed where none raises anything."""
    global main_thread
    main_thread = (threading.main_thread().ident or 0) if wanted else 0


cdef void _replace() noexcept:
    for number in numbers:
        handler = get_handler(number)
        if handler is not None and type(handler) is not int:  # the default and "ignore" are numbers
            c_sigaction(number, NULL, &actions[<int>number])
            replaced[number] = handler
            if not _change(number, stand_in):
                del replaced[number]


cdef void _restore() noexcept:
    global depth, replaced, arrived
    cdef dict handlers, came
    cdef sigaction_t now
    for number in list(replaced):
        if get_handler(number) is stand_in:  # somebody may have set another one
            _change(number, replaced[number])
            c_sigaction(number, NULL, &now)
            if now.sa_handler != actions[<int>number].sa_handler or now.sa_flags != actions[<int>number].sa_flags:
                c_sigaction(number, &actions[<int>number], NULL)
    handlers, replaced = replaced, {}
    came, arrived = arrived, {}
    depth = 0
    for number in came:
        try:
            _call(handlers[number], number)
        except BaseException as failure:
            raised.append(failure)
    if raised:
        _schedule()


cdef bint _change(object number, object handler) noexcept:
    """Set a handler; exceptions of other handlers that run because of this are raised later."""
    cdef int attempt
    for attempt in range(TRIES):
        try:
            set_handler(number, handler)
            return True
        except BaseException as failure:
            raised.append(failure)
    return False


def stand_in(number, frame):
    """Note a signal, or call its handler where a wait allows that."""
    if open_at == depth:
        return replaced[number](number, frame)
    arrived[number] = None


cdef object _call(object handler, object number):
    cdef PyObject *frame = PyEval_GetFrame()
    return handler(number, <object>frame if frame != NULL else None)


cpdef void raise_later(object failure) noexcept:
    """Raise a handler's exception as soon as the current call has returned."""
    raised.append(failure)
    if depth == 0:
        _schedule()


cdef void _schedule() noexcept:
    global scheduled
    if not scheduled:
        scheduled = Py_AddPendingCall(_raise_first, NULL) == 0


cdef int _raise_first(void *argument) except -1:
    global scheduled
    scheduled = False
    if not raised or (depth and open_at != depth):
        return 0  # `end` schedules it again
    if _in_handler():
        _schedule()
        return 0
    failure = raised.pop(0)
    if raised:
        _schedule()
    raise failure


cdef bint _in_handler() noexcept:
    """Return whether a handler runs: what another one raised would cut it off before it has done anything."""
    cdef set codes = {_code_of(get_handler(number)) for number in numbers}
    cdef PyObject *running = PyEval_GetFrame()
    codes.discard(None)
    frame = <object>running if running != NULL else None
    while frame is not None:
        if frame.f_code in codes:
            return True
        frame = frame.f_back
    return False


cdef object _code_of(object handler):
    """Return the code of a handler that is a function, a method, a partial call or an object with `__call__`."""
    handler = getattr(handler, "func", handler)
    handler = getattr(handler, "__func__", handler)
    if not hasattr(handler, "__code__"):
        handler = getattr(type(handler), "__call__", None)
    return getattr(handler, "__code__", None)


cdef int point() except -1:
    """Let handlers run in a wait; raise Interrupted for what one of them raises."""
    global open_at
    cdef int before = open_at
    if not handles_signals():
        return 0
    open_at = depth
    try:
        if raised:
            raise raised.pop(0)
        while arrived:
            number = next(iter(arrived))
            del arrived[number]
            _call(replaced[number], number)
        PyErr_CheckSignals()
    except BaseException as failure:
        raise Interrupted(failure) from None
    finally:
        open_at = before
    return 0


cpdef bint acquire(object lock, double timeout) except -1:
    """Wait for a lock, negative timeouts for ever; False when time is up first. Handlers run meanwhile."""
    global open_at
    cdef int before = open_at
    cdef double piece
    if not handles_signals():
        return lock.acquire(True, timeout) if timeout >= 0 else lock.acquire()
    while True:
        point()
        piece = LOOK_SECONDS if timeout < 0 or timeout > LOOK_SECONDS else timeout
        open_at = depth
        try:
            if lock.acquire(True, piece):
                return True
        except BaseException as failure:
            raise Interrupted(failure) from None
        finally:
            open_at = before
        if timeout >= 0:
            timeout -= piece
            if timeout <= 0:
                return False


cdef void engine_entered() noexcept:
    """The main thread has an engine's lock."""
    global engines
    if handles_signals():
        engines += 1


cdef void engine_left() noexcept:
    """The main thread has let an engine's lock go: handlers that were held back for it run."""
    global engines, for_engine
    if not handles_signals() or engines == 0:
        return
    engines -= 1
    if for_engine and engines == 0:
        for_engine = False
        end()


cpdef void python_follows() noexcept:
    """Hold handlers back until the engine's lock is let go: the engine is about to call a Python function."""
    global for_engine
    if engines and not for_engine and handles_signals():
        for_engine = True
        begin()


def _after_fork():
    """The thread that has forked is the one that runs handlers now."""
    global main_thread, depth, open_at, engines, for_engine, replaced, arrived
    for number in replaced:
        if get_handler(number) is stand_in:
            _change(number, replaced[number])
    replaced, arrived = {}, {}
    depth, open_at, engines, for_engine = 0, -1, 0, False
    if main_thread:
        main_thread = pthread_self()


if PyInterpreterState_Get() == PyInterpreterState_Main():  # no other one runs handlers
    hold_back(True)
    os.register_at_fork(after_in_child=_after_fork)
