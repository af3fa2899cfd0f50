//! Diagnostic codes of the layout of pages.

aiec_diag::codes! {
    /// Codes of the layout of pages.
    pub static CODES;
    JOB_TOO_BIG = "cert::job-too-big",
        "A job, the jobs that must be on its page (partners at local barriers, launched jobs) and \
         all data they name do not fit a page of 8192 bytes. Split the job; `--fix-pages` does so \
         where that keeps the meaning.";
    BARRIER_SPLIT = "cert::barrier-split",
        "Jobs that meet at a local barrier are on one page, so no page end may be between them; \
         a local barrier number is one group for its whole scope.";
    LAUNCH_MISSING = "cert::launch-missing",
        "LAUNCH_JOB names a job that does not exist between the same page ends.";
    JOB_ON_TWO_PAGES = "cert::job-on-two-pages",
        "A job was placed on a page before another job demanded it on its own page. Put a deferred \
         job after its launcher.";
    DUPLICATE_JOB = "cert::duplicate-job",
        "Two jobs of a page, or of a region between page ends, have the same number.";
}
