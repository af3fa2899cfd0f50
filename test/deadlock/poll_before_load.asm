; The same with the writing job before the load.
; VERDICT: completed
START_JOB 0
  WRITE_32 0x00300000, 1
END_JOB
START_JOB 1
  LOAD_PDI 1, @cfg
END_JOB
cfg:
START_JOB 0
  POLL_32 0x00300000, 1
END_JOB
EOF
.endl cfg
EOF
