; The other job of a barrier is deferred and launched.
; VERDICT: completed
START_JOB 0
  LAUNCH_JOB 1
  LOCAL_BARRIER $lb3, 2
END_JOB
START_JOB_DEFERRED 1
  LOCAL_BARRIER $lb3, 2
END_JOB
EOF
