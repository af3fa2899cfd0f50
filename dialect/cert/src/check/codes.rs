//! Diagnostic codes of the checks.

aiec_diag::codes! {
    /// Codes of the checks.
    pub static CODES;
    LOCAL_BARRIER = "cert::local-barrier",
        "Jobs run once and have no loops, so the arrivals at a local barrier can be counted. Fewer \
         jobs come than the barrier waits for, the arrivals don't make whole rounds, or jobs name \
         different numbers of participants: a job would wait forever. A local barrier number is \
         one group for its whole scope.";
    REMOTE_BARRIER = "cert::remote-barrier",
        "Bit N of a party mask is controller N. A controller that comes must be in the mask, every \
         controller of the mask must come equally often and with the same mask, and one job of each \
         comes on its behalf. Otherwise a controller waits forever.";
    BARRIER_ORDER = "cert::barrier-order",
        "Two jobs or controllers come to the same barriers in opposite order, or a page waits at a \
         barrier whose partner comes there only on a later page, after another barrier: each \
         waits for the other.";
    HANDLE = "cert::handle",
        "WAIT_UC_DMA waits for the chain whose handle UC_DMA_WRITE_DES put into the register. \
         $r0 to $r7 belong to one job and hold nothing at its begin; $g0 to $g15 are shared by the \
         jobs of a controller. A chain without a wait may still run when its page is \
         replaced.";
    LATER_PAGE = "cert::later-page",
        "A page may depend on earlier pages but never on later ones: a page ends before the next \
         one begins, so what is waited for would never start.";
    LAUNCH = "cert::launch",
        "LAUNCH_JOB schedules a job that began with START_JOB_DEFERRED, once.";
    NEVER_LAUNCHED = "cert::never-launched",
        "A deferred job runs only when a job that runs launches it.";
    UNUSED_SCOPE = "cert::unused-scope",
        "No LOAD_PDI, LOAD_CORES or PREEMPT names the scope, so its pages are never run.";
    POLL = "cert::poll",
        "MASK_POLL_32 compares the masked register with the value. A bit of the value outside the \
         mask is never there, so the job polls forever.";
    MASK = "cert::mask",
        "MASK_WRITE_32 changes only the bits under the mask; bits of the value outside of it have \
         no effect.";
    UNALIGNED = "cert::unaligned",
        "Registers and memories of the array are read and written in words of 4 bytes; the lowest \
         two bits of an address are ignored.";
    UNDOCUMENTED_BARRIER = "cert::undocumented-barrier",
        "Controllers are documented to have the remote barriers $rb0 to $rb63. The vendor's assembler \
         takes $rb64 as well; the simulator refuses to run it.";
    TRACE = "cert::trace",
        "TRACE is where a dynamic probe replaced an instruction. The controller does not \
         expect it in a program.";
    MEETING = "cert::meeting",
        "All controllers of a partition meet after LOAD_PDI, LOAD_CORES and PREEMPT, so each must \
         run equally many of them, with the same ids of preemption points.";
    NOT_ALONE = "cert::not-alone",
        "LOAD_PDI and PREEMPT end what the controller does: a configuration is replaced, or the \
         context is switched. They are alone in a job, and the job alone on its page, as firmware \
         until 2026 expects; later firmware lets the other jobs of the page wait until it is done. \
         Put .eop before the job and after it.";
    LOAD_ID = "cert::load-id",
        "A configuration is skipped if the one loaded last has its id, so one id for two scopes \
         leaves the second out.";
    ACTOR_SHARED = "cert::actor-shared",
        "Only one job may wait for tokens of an actor at a time. If a barrier keeps the two waits \
         apart, all is well.";
    OUTSIDE_PARTITION = "cert::outside-partition",
        "`.partition` declares how many columns there are; a controller or tile lies outside of \
         them.";
    UNPATCHED_COPY = "cert::unpatched-copy",
        "Data that jobs of several pages name are copied to each page. The host patches the copy \
         on the page with the APPLY_OFFSET_57 only.";
    FAR_ADDRESS = "cert::far-address",
        "A uC-DMA descriptor has room for addresses of 61 bits and for addresses outside of the \
         array. Registers and memories of the array have addresses of 32 bits, and no device \
         takes descriptors that leave it.";
    READS_PAST = "cert::reads-past",
        "A descriptor moves more words than there are from its label to the end of the page's \
         data, so it also moves the bytes that happen to follow.";
}
