; Three jobs, two barriers, the middle one at both.
; VERDICT: completed
START_JOB 0
  LOCAL_BARRIER $lb0, 2
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb0, 2
  LOCAL_BARRIER $lb1, 2
END_JOB
START_JOB 2
  LOCAL_BARRIER $lb1, 2
END_JOB
EOF
