; Both controllers load a configuration.
; VERDICT: completed
.attach_to_group 0
START_JOB 0
  LOAD_PDI 1, @cfg
END_JOB
cfg:
START_JOB 0
  NOP
END_JOB
EOF
.endl cfg
EOF
.attach_to_group 1
START_JOB 0
  LOAD_PDI 1, @cfg
END_JOB
cfg:
START_JOB 0
  SLEEP 1
END_JOB
EOF
.endl cfg
EOF
