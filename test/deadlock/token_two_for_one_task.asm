; One task of four words, which fit into the stream, and a wait for two tokens.
; VERDICT: deadlock token-count
; MISTAKE: extra-wait
START_JOB 0
  WRITE_32 0x0031D000, 4
  WRITE_32 0x0031D014, 0x02000000
  WRITE_32 0x0031DE14, 0x80000000
  WAIT_TCTS TILE_0_3, TILE_MM2S_0, 2
END_JOB
EOF
