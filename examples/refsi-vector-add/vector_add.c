/* Kernels of the example: RUN_INSTANCES passes the number of the instance and up to seven arguments.
 *
 * riscv64-unknown-elf-gcc -march=rv64imc -mabi=lp64 -mcmodel=medany -O2 -ffreestanding -nostdlib \
 *   -Wl,-T,kernel.ld -o kernel.elf vector_add.c
 * riscv64-unknown-elf-objcopy -O binary kernel.elf vector_add.bin
 */
#include <stdint.h>

/* c[i] = a[i] + b[i] for a row of elements; the instance is the row. */
__attribute__((section(".text.entry"))) void
vector_add(uint64_t instance, const int32_t *a, const int32_t *b, int32_t *c, uint64_t elements) {
  const uint64_t first = instance * elements;
  for (uint64_t i = first; i < first + elements; i++)
    c[i] = a[i] + b[i];
}
