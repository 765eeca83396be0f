"""LLVM text of the thread pool: `parallel_for(function, context, blocks)` and its workers.

One job runs at a time. A caller that finds the pool busy does its work alone. So many callers never
mean more threads than cores, and a job may start another. A job has tickets, one for each worker
that it could use. A worker with a ticket takes blocks until there are none. The caller takes blocks
too. Then it closes the job: it takes back the tickets that are left, and waits for the workers that
have one. So a worker that is slow to wake delays nobody. Workers look for tickets a while before
they sleep on a condition variable. A worker is a thread that calls `work`, which never returns; it
blocks all signals.

Blocks lie in shares, as many as there may be threads. A thread takes the blocks of its own share
first, the same in every job, so their data may still be in its core's cache. Then it takes blocks
of other shares (E. P. Markatos and T. J. LeBlanc, "Using processor affinity
in loop scheduling on shared-memory multiprocessors", 1994).
"""

from __future__ import annotations

#: Offsets in the pool's state, in bytes: a word that several threads write has a line of its own.
BUSY, TICKETS, FINISHED = 0, 64, 128
FUNCTION, CONTEXT, BLOCKS, SHARES = 192, 200, 208, 216
SLEEPERS, WAITING, LIMIT, WORKERS = 256, 264, 272, 280
MUTEX, WORK, DONE = 320, 384, 448
TAKEN, LINE = 512, 64  # the first share's, and the distance of the shares'

_MOST = 64  # shares
SIZE = TAKEN + _MOST * LINE


#: Instructions for waiting loops, by the family of the processor.
PAUSES = {
    "x86_64": "call void @llvm.x86.sse2.pause()",
    "aarch64": "call void @llvm.aarch64.hint(i32 1)",
}


def _address(name: str, offset: int) -> str:
    """The line that loads the address of a word of the state into a register."""
    return f"  %{name} = getelementptr i8, ptr @state, i64 {offset}"


def text(pause: str, spins: int, patience: int, block_signals: int) -> str:
    """The module; `pause` is an instruction for a waiting loop, or empty.

    A worker looks `spins` times for work before it sleeps. A caller looks `patience` times whether
    the last blocks are done. `block_signals` is the system's SIG_BLOCK.
    """
    functions = (_state(), _taking(), _work(pause, spins, block_signals), _alone())
    return "".join([_DECLARATIONS, *functions, _parallel_for(pause, patience)])


_DECLARATIONS = f"""
@state = internal global [{SIZE} x i8] zeroinitializer, align 64

declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare void @llvm.x86.sse2.pause()
declare void @llvm.aarch64.hint(i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
"""


def _state() -> str:
    """Functions that make the state anew, and that limit the threads of a job."""
    return f"""
define void @reset() {{
entry:
  call void @llvm.memset.p0.i64(ptr @state, i8 0, i64 {SIZE}, i1 false)
{_address("mutex", MUTEX)}
{_address("work", WORK)}
{_address("done", DONE)}
  call i32 @pthread_mutex_init(ptr %mutex, ptr null)
  call i32 @pthread_cond_init(ptr %work, ptr null)
  call i32 @pthread_cond_init(ptr %done, ptr null)
  ret void
}}

define void @limit(i64 %limit) {{
{_address("at", LIMIT)}
  store atomic i64 %limit, ptr %at monotonic, align 8
  ret void
}}
"""


def _taking() -> str:
    """A function that does the blocks of a share, then those of the others."""
    return f"""
define internal void @take_blocks(i64 %own) {{
entry:
{_address("taken", TAKEN)}
{_address("function.at", FUNCTION)}
{_address("context.at", CONTEXT)}
{_address("blocks.at", BLOCKS)}
{_address("shares.at", SHARES)}
  %function = load ptr, ptr %function.at
  %context = load ptr, ptr %context.at
  %blocks = load i64, ptr %blocks.at
  %shares = load i64, ptr %shares.at
  br label %share
share:
  %i = phi i64 [0, %entry], [%i1, %none]
  %place = add i64 %own, %i
  %number = urem i64 %place, %shares
  %following = add i64 %number, 1
  %before = mul i64 %blocks, %number
  %until = mul i64 %blocks, %following
  %first = udiv i64 %before, %shares
  %end = udiv i64 %until, %shares
  %next = getelementptr [{LINE} x i8], ptr %taken, i64 %number
  br label %take
take:
  %some = atomicrmw add ptr %next, i64 1 monotonic
  %block = add i64 %first, %some
  %more = icmp slt i64 %block, %end
  br i1 %more, label %do, label %none
do:
  call void %function(ptr %context, i64 %block)
  br label %take
none:
  %i1 = add i64 %i, 1
  %others = icmp ult i64 %i1, %shares
  br i1 %others, label %share, label %done
done:
  ret void
}}
"""


def _work(pause: str, spins: int, block_signals: int) -> str:
    """The function of a worker, which looks for tickets and sleeps where there are none."""
    return f"""
define void @work() {{
entry:
  %signals = alloca [256 x i8], align 16
  call i32 @sigfillset(ptr %signals)
  call i32 @pthread_sigmask(i32 {block_signals}, ptr %signals, ptr null)
{_address("tickets", TICKETS)}
{_address("finished", FINISHED)}
{_address("sleepers", SLEEPERS)}
{_address("waiting", WAITING)}
{_address("mutex", MUTEX)}
{_address("work", WORK)}
{_address("done", DONE)}
{_address("workers", WORKERS)}
{_address("shares.at", SHARES)}
  %number = atomicrmw add ptr %workers, i64 1 monotonic
  br label %look
look:
  %spin = phi i64 [0, %entry], [%spin1, %idle], [0, %awake], [0, %told], [0, %reported]
  %open = load atomic i64, ptr %tickets monotonic, align 8
  %some = icmp sgt i64 %open, 0
  br i1 %some, label %try, label %idle.check
idle.check:
  %patient = icmp ult i64 %spin, {spins}
  br i1 %patient, label %idle, label %sleep
try:
  %ticket = atomicrmw sub ptr %tickets, i64 1 acq_rel
  %mine = icmp sgt i64 %ticket, 0
  br i1 %mine, label %take, label %idle
idle:
  {pause}
  %spin1 = add i64 %spin, 1
  br label %look
take:
  %shares = load i64, ptr %shares.at
  %others = sub i64 %shares, 1
  %among = urem i64 %number, %others
  %own = add i64 %among, 1
  call void @take_blocks(i64 %own)
  %ended = atomicrmw add ptr %finished, i64 1 seq_cst
  %waits = load atomic i64, ptr %waiting seq_cst, align 8
  %tell = icmp ne i64 %waits, 0
  br i1 %tell, label %told, label %reported
told:
  call i32 @pthread_mutex_lock(ptr %mutex)
  call i32 @pthread_cond_broadcast(ptr %done)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %look
reported:
  br label %look
sleep:
  call i32 @pthread_mutex_lock(ptr %mutex)
  %slept = atomicrmw add ptr %sleepers, i64 1 seq_cst
  br label %dream
dream:
  %opened = load atomic i64, ptr %tickets seq_cst, align 8
  %wake = icmp sgt i64 %opened, 0
  br i1 %wake, label %awake, label %wait
wait:
  call i32 @pthread_cond_wait(ptr %work, ptr %mutex)
  br label %dream
awake:
  %left = atomicrmw sub ptr %sleepers, i64 1 seq_cst
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %look
}}
"""


def _alone() -> str:
    """A function that does all blocks in order, for a caller without helpers."""
    return """
define internal void @alone(ptr %function, ptr %context, i64 %blocks) {
entry:
  br label %check
check:
  %block = phi i64 [0, %entry], [%next, %do]
  %more = icmp slt i64 %block, %blocks
  br i1 %more, label %do, label %done
do:
  call void %function(ptr %context, i64 %block)
  %next = add i64 %block, 1
  br label %check
done:
  ret void
}
"""


def _parallel_for(pause: str, patience: int) -> str:
    """The function that opens a job, helps to do it, and closes it."""
    return f"""
define void @parallel_for(ptr %function, ptr %context, i64 %blocks) {{
entry:
{_address("busy", BUSY)}
{_address("tickets", TICKETS)}
{_address("shares.at", SHARES)}
{_address("taken.all", TAKEN)}
{_address("finished", FINISHED)}
{_address("function.at", FUNCTION)}
{_address("context.at", CONTEXT)}
{_address("blocks.at", BLOCKS)}
{_address("sleepers", SLEEPERS)}
{_address("waiting", WAITING)}
{_address("limit.at", LIMIT)}
{_address("mutex", MUTEX)}
{_address("work", WORK)}
{_address("done", DONE)}
  %limit = load atomic i64, ptr %limit.at monotonic, align 8
  %threads = call i64 @llvm.smin.i64(i64 %limit, i64 %blocks)
  %useful = sub i64 %threads, 1
  %worth = icmp sgt i64 %useful, 0
  br i1 %worth, label %claim, label %alone
claim:
  %claimed = cmpxchg ptr %busy, i64 0, i64 1 acquire monotonic
  %free = extractvalue {{i64, i1}} %claimed, 1
  br i1 %free, label %open, label %alone
alone:
  call void @alone(ptr %function, ptr %context, i64 %blocks)
  ret void
open:
  store ptr %function, ptr %function.at
  store ptr %context, ptr %context.at
  store i64 %blocks, ptr %blocks.at
  %shares = call i64 @llvm.smin.i64(i64 %threads, i64 {_MOST})
  store i64 %shares, ptr %shares.at
  %lines = mul i64 %shares, {LINE}
  call void @llvm.memset.p0.i64(ptr %taken.all, i8 0, i64 %lines, i1 false)
  store atomic i64 0, ptr %finished monotonic, align 8
  store atomic i64 %useful, ptr %tickets seq_cst, align 8
  %asleep = load atomic i64, ptr %sleepers seq_cst, align 8
  %wake = icmp sgt i64 %asleep, 0
  br i1 %wake, label %call, label %help
call:
  call i32 @pthread_mutex_lock(ptr %mutex)
  call i32 @pthread_cond_broadcast(ptr %work)
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %help
help:
  call void @take_blocks(i64 0)
  %back = atomicrmw xchg ptr %tickets, i64 0 acq_rel
  %unused = call i64 @llvm.smax.i64(i64 %back, i64 0)
  %taken = sub i64 %useful, %unused
  br label %look
look:
  %spin = phi i64 [0, %help], [%spin1, %idle]
  %ended = load atomic i64, ptr %finished acquire, align 8
  %all = icmp sge i64 %ended, %taken
  br i1 %all, label %release, label %busy.wait
busy.wait:
  %patient = icmp ult i64 %spin, {patience}
  br i1 %patient, label %idle, label %sleep
idle:
  {pause}
  %spin1 = add i64 %spin, 1
  br label %look
sleep:
  call i32 @pthread_mutex_lock(ptr %mutex)
  store atomic i64 1, ptr %waiting seq_cst, align 8
  br label %dream
dream:
  %ended.now = load atomic i64, ptr %finished seq_cst, align 8
  %all.now = icmp sge i64 %ended.now, %taken
  br i1 %all.now, label %awake, label %wait
wait:
  call i32 @pthread_cond_wait(ptr %done, ptr %mutex)
  br label %dream
awake:
  store atomic i64 0, ptr %waiting seq_cst, align 8
  call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %release
release:
  store atomic i64 0, ptr %busy release, align 8
  ret void
}}
"""
