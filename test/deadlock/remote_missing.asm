; A remote barrier for three controllers, of which one never comes.
; VERDICT: deadlock barrier-count
; MISTAKE: barrier-count
.attach_to_group 0
START_JOB 0
  REMOTE_BARRIER $rb0, 0x7
END_JOB
EOF
.attach_to_group 1
START_JOB 0
  REMOTE_BARRIER $rb0, 0x7
END_JOB
EOF
.attach_to_group 2
START_JOB 0
  NOP
END_JOB
EOF
