; Two controllers come to two remote barriers in opposite order.
; VERDICT: deadlock barrier-order
; MISTAKE: barrier-order
.attach_to_group 0
START_JOB 0
  REMOTE_BARRIER $rb0, 0x3
  REMOTE_BARRIER $rb1, 0x3
END_JOB
EOF
.attach_to_group 1
START_JOB 0
  REMOTE_BARRIER $rb1, 0x3
  REMOTE_BARRIER $rb0, 0x3
END_JOB
EOF
