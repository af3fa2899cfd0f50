; Two controllers: one writes what the other reads behind a remote barrier
; RACES: none
.attach_to_group 0
START_JOB 0
  WRITE_32 0x00200400, 7
  REMOTE_BARRIER $rb0, 0x3
END_JOB
EOF
.attach_to_group 1
START_JOB 0
  REMOTE_BARRIER $rb0, 0x3
  READ_32 $r0, 0x00200400
END_JOB
EOF
