; A local barrier for three jobs, to which two come.
; VERDICT: deadlock barrier-count
; MISTAKE: barrier-count
START_JOB 0
  LOCAL_BARRIER $lb0, 3
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb0, 3
END_JOB
EOF
