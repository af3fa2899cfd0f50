; A remote barrier behind a local one, whose other job is behind the remote one.
; VERDICT: deadlock barrier-order
; MISTAKE: barrier-order
.attach_to_group 0
START_JOB 0
  LOCAL_BARRIER $lb0, 2
  REMOTE_BARRIER $rb0, 0x3
END_JOB
START_JOB 1
  REMOTE_BARRIER $rb1, 0x3
  LOCAL_BARRIER $lb0, 2
END_JOB
EOF
.attach_to_group 1
START_JOB 0
  REMOTE_BARRIER $rb0, 0x3
  REMOTE_BARRIER $rb1, 0x3
END_JOB
EOF
