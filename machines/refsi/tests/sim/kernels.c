/* Kernels of the tests, linked at 0x10000; the tests run the bytes that are checked in beside
 * this file, and where there is a cross compiler what it makes of the file:
 *
 * riscv64-unknown-elf-gcc -march=rv64imc -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -nostdlib \
 *   -Wl,-T,kernels.ld -o kernels.elf kernels.c && riscv64-unknown-elf-objcopy -O binary kernels.elf kernels.bin
 *
 * The entries are in a table of jumps at the beginning, so that their addresses don't depend on the compiler.
 */
#include <stdint.h>

__asm__(".section .text.entry\n"
        ".option norvc\n"
        "j mix\n"      /* 0x10000 */
        "j crc\n"      /* 0x10004 */
        "j slice\n"    /* 0x10008 */
        "j leave\n"    /* 0x1000c */
        "j meet\n"     /* 0x10010 */
        "j shout\n"    /* 0x10014 */
        "j spin\n"     /* 0x10018 */
        "j where\n"    /* 0x1001c */
        ".option rvc\n");

static long call(long number, long argument) {
  register long a0 __asm__("a0") = argument;
  register long a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
  return a0;
}

/* Arithmetic of all widths on two numbers of the table; 16 results for each instance. */
void mix(uint64_t instance, const int64_t *in, int64_t *out) {
  int64_t a = in[2 * instance], b = in[2 * instance + 1];
  int64_t *o = out + 16 * instance;
  uint64_t ua = a, ub = b;
  int32_t wa = a, wb = b;
  o[0] = a + b;
  o[1] = a * b;
  o[2] = b ? a / b : -1;
  o[3] = b ? a % b : a;
  o[4] = ub ? ua / ub : UINT64_MAX;
  o[5] = ub ? ua % ub : ua;
  o[6] = (int64_t)(((__int128)a * b) >> 64);
  o[7] = (int64_t)(((unsigned __int128)ua * ub) >> 64);
  o[8] = wb ? (int32_t)((int64_t)wa / wb) : -1;
  o[9] = (int32_t)((uint32_t)wa * (uint32_t)wb);
  o[10] = (a << (ub & 63)) ^ (a >> (ub & 63)) ^ (int64_t)(ua >> (ub & 63));
  o[11] = (int32_t)((uint32_t)wa << (wb & 31)) ^ (wa >> (wb & 31));
  o[12] = (a < b) + 2 * (ua < ub) + 4 * (wa < wb);
  o[13] = (int8_t)a + (int16_t)b + (uint8_t)b + (uint16_t)a;
  o[14] = (a & b) | (a ^ ~b);
  o[15] = wb ? (int64_t)((uint32_t)wa % (uint32_t)wb) : 0;
}

/* CRC-32 of the bytes of a block, by bits; many branches and byte loads. */
void crc(uint64_t instance, const uint8_t *in, uint32_t *out, uint64_t bytes) {
  uint32_t sum = ~0u;
  const uint8_t *block = in + instance * bytes;
  for (uint64_t i = 0; i < bytes; i++) {
    sum ^= block[i];
    for (int bit = 0; bit < 8; bit++)
      sum = (sum >> 1) ^ (0xedb88320u & -(sum & 1));
  }
  out[instance] = ~sum;
}

struct arguments { uint64_t *out; uint64_t add; };

/* With packed arguments and a thread block, whose second word it changes. */
void slice(uint64_t instance, uint64_t number, const struct arguments *args, uint64_t *block) {
  if (block) {
    block[1] += 1;
    args->out[instance] = number * 1000 + args->add + block[0] + 100000 * block[1];
  } else {
    args->out[instance] = number * 1000 + args->add;
  }
}

/* Exits by a call, with the status of the argument. */
void leave(uint64_t instance, long status) { call(0, status); }

/* Two phases with a barrier between them: each instance reads what its neighbour wrote. */
void meet(uint64_t instance, volatile uint64_t *a, volatile uint64_t *b, uint64_t count, uint64_t apart) {
  a[instance] = instance * instance;
  call(2, apart ? (long)instance : 7);
  b[instance] = a[(instance + 1) % count];
}

/* Prints a text. */
void shout(uint64_t instance, const char *text) { call(1, (long)text); }

/* Never ends. */
void spin(uint64_t instance) { for (;;) __asm__ volatile(""); }

/* The stack pointer, and what is at an address that windows lead elsewhere for each hart. */
void where(uint64_t instance, uint64_t *out, volatile uint64_t *window) {
  uint64_t sp;
  __asm__ volatile("mv %0, sp" : "=r"(sp));
  out[2 * instance] = sp;
  out[2 * instance + 1] = *window;
  *window = 0x100 + instance;
}
