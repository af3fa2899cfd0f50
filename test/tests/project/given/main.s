// The program that calls it: twice what a word of the core's memory holds.
        .globl  main
        .type   main, @function
main:   mova    r1, #21
        movxm   p0, #0x71000
        st      r1, [p0], #0
        .p2align 4
        jl      #scale
        nop
        nop
        nop
        nop
        nop
stop:   done
        j       #stop
        nop
        nop
        nop
        nop
        nop
