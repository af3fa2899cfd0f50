; The other job of a barrier is deferred and nobody launches it.
; VERDICT: deadlock barrier-count
; MISTAKE: barrier-count
START_JOB 0
  LOCAL_BARRIER $lb3, 2
END_JOB
START_JOB_DEFERRED 1
  LOCAL_BARRIER $lb3, 2
END_JOB
EOF
