; A task is started on a channel whose reset is never released.
; VERDICT: deadlock not-running
; MISTAKE: not-running
START_JOB 0
  WRITE_32 0x0031D000, 4
  WRITE_32 0x0031D014, 0x02000000
  WRITE_32 0x0031DE10, 2
  WRITE_32 0x0031DE14, 0x80000000
  WAIT_TCTS TILE_0_3, TILE_MM2S_0, 1
END_JOB
EOF
