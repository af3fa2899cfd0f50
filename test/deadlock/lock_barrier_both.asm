; A lock as a barrier of two controllers.
; VERDICT: completed
.attach_to_group 0
START_JOB 0
  REL_ACQ_SYNC 0x00340004, 0x00340208
END_JOB
EOF
.attach_to_group 1
START_JOB 0
  SLEEP 2
  REL_ACQ_SYNC 0x00340004, 0x00340208
END_JOB
EOF
