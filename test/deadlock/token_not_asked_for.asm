; The task does not ask for a token.
; VERDICT: deadlock token-count
; MISTAKE: token-missing
START_JOB 0
  WRITE_32 0x0031D000, 4
  WRITE_32 0x0031D014, 0x02000000
  WRITE_32 0x0031DE14, 0x00000000
  WAIT_TCTS TILE_0_3, TILE_MM2S_0, 1
END_JOB
EOF
