; A lock as a barrier of two controllers, to which one comes.
; VERDICT: deadlock never-released-lock
; MISTAKE: lock-never-released
START_JOB 0
  REL_ACQ_SYNC 0x00340004, 0x00340208
END_JOB
EOF
