// What code of cores expects of its compiler (Peano), for scalar code on this machine.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#define restrict __restrict
typedef int8_t int8;
typedef uint8_t uint8;
typedef int16_t int16;
typedef uint16_t uint16;
typedef int32_t int32;
typedef uint32_t uint32;

// Bits of a float's upper half; rounded to the nearest, ties to even.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  bfloat16(float value) {
    uint32_t raw;
    std::memcpy(&raw, &value, sizeof raw);
    const bool nan = value != value;
    bits = nan ? 0x7FC0 : (raw + 0x7FFF + (raw >> 16 & 1)) >> 16;
  }
  operator float() const {
    const uint32_t raw = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &raw, sizeof value);
    return value;
  }
  bfloat16 &operator+=(float value) { return *this = bfloat16(*this + value); }
  bfloat16 &operator-=(float value) { return *this = bfloat16(*this - value); }
  bfloat16 &operator*=(float value) { return *this = bfloat16(*this * value); }
};

static inline void event0() {}
static inline void event1() {}
