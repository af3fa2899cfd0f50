; A configuration polls for what a job behind the load writes.
; VERDICT: deadlock poll
; MISTAKE: poll
START_JOB 0
  LOAD_PDI 1, @cfg
END_JOB
START_JOB 1
  WRITE_32 0x00300000, 1
END_JOB
cfg:
START_JOB 0
  POLL_32 0x00300000, 1
END_JOB
EOF
.endl cfg
EOF
