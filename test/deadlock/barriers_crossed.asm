; Two jobs come to two barriers in opposite order.
; VERDICT: deadlock barrier-order
; MISTAKE: barrier-order
START_JOB 0
  LOCAL_BARRIER $lb0, 2
  LOCAL_BARRIER $lb1, 2
END_JOB
START_JOB 1
  LOCAL_BARRIER $lb1, 2
  LOCAL_BARRIER $lb0, 2
END_JOB
EOF
