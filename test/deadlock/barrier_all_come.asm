; A local barrier for three jobs, and three come, one of them late.
; VERDICT: completed
START_JOB 0
  LOCAL_BARRIER $lb0, 3
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb0, 3
END_JOB
START_JOB 2
  SLEEP 2
  LOCAL_BARRIER $lb0, 3
END_JOB
EOF
