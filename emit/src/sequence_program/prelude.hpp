#include <cstdint>
#include <deque>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#ifndef AIEC_SEQUENCE_PROGRAM
#define AIEC_SEQUENCE_PROGRAM
namespace aiec_sequence {
// Numbers of some bits are held in 64, of which the others are 0.
inline uint64_t low(uint64_t n, unsigned bits) {
  return bits >= 64 ? n : n & ((uint64_t(1) << bits) - 1);
}
inline int64_t sint(uint64_t n, unsigned bits) {
  const uint64_t sign = uint64_t(1) << (bits - 1);
  return int64_t(((bits >= 64 ? n : low(n, bits)) ^ sign) - sign);
}
inline uint64_t add(uint64_t a, uint64_t b, unsigned bits) { return low(a + b, bits); }
inline uint64_t sub(uint64_t a, uint64_t b, unsigned bits) { return low(a - b, bits); }
inline uint64_t mul(uint64_t a, uint64_t b, unsigned bits) { return low(a * b, bits); }
inline uint64_t shl(uint64_t a, uint64_t b, unsigned bits) {
  return b >= bits ? 0 : low(a << b, bits);
}
inline uint64_t shru(uint64_t a, uint64_t b, unsigned bits) { return b >= bits ? 0 : a >> b; }
inline uint64_t shrs(uint64_t a, uint64_t b, unsigned bits) {
  const uint64_t by = b >= bits ? bits - 1 : b;
  const uint64_t n = uint64_t(sint(a, bits));
  const uint64_t sign = n >> 63 ? ~uint64_t(0) : 0;
  return low(by ? n >> by | sign << (64 - by) : n, bits);
}
inline uint64_t divu(uint64_t a, uint64_t b, unsigned) { return a / b; }
inline uint64_t remu(uint64_t a, uint64_t b, unsigned) { return a % b; }
inline uint64_t ceildivu(uint64_t a, uint64_t b, unsigned) { return a / b + (a % b != 0); }
inline uint64_t divs(uint64_t a, uint64_t b, unsigned bits) {
  const int64_t x = sint(a, bits), y = sint(b, bits);
  return low(y == -1 ? 0 - uint64_t(x) : uint64_t(x / y), bits);
}
inline uint64_t rems(uint64_t a, uint64_t b, unsigned bits) {
  const int64_t x = sint(a, bits), y = sint(b, bits);
  return low(y == -1 ? 0 : uint64_t(x % y), bits);
}
inline uint64_t floordivs(uint64_t a, uint64_t b, unsigned bits) {
  const int64_t x = sint(a, bits), y = sint(b, bits);
  const bool down = rems(a, b, bits) != 0 && (x < 0) != (y < 0);
  return low(divs(a, b, bits) - down, bits);
}
inline uint64_t ceildivs(uint64_t a, uint64_t b, unsigned bits) {
  const int64_t x = sint(a, bits), y = sint(b, bits);
  const bool up = rems(a, b, bits) != 0 && (x < 0) == (y < 0);
  return low(divs(a, b, bits) + up, bits);
}
inline uint64_t minu(uint64_t a, uint64_t b, unsigned) { return a < b ? a : b; }
inline uint64_t maxu(uint64_t a, uint64_t b, unsigned) { return a > b ? a : b; }
inline uint64_t mins(uint64_t a, uint64_t b, unsigned bits) {
  return sint(a, bits) < sint(b, bits) ? a : b;
}
inline uint64_t maxs(uint64_t a, uint64_t b, unsigned bits) {
  return sint(a, bits) > sint(b, bits) ? a : b;
}
// Rounds of a loop.
inline uint64_t rounds(uint64_t from, uint64_t until, uint64_t step, unsigned bits, bool is_signed) {
  const bool any = is_signed ? sint(from, bits) < sint(until, bits) : from < until;
  return any ? (low(until - from, bits) - 1) / step + 1 : 0;
}
inline uint32_t field(uint64_t n, unsigned right, uint32_t mask, unsigned left) {
  return (uint32_t(n >> right) & mask) << left;
}
inline std::nullopt_t refused(const char *why) {
  std::fprintf(stderr, "no transaction: %s\n", why);
  return std::nullopt;
}
struct Transaction {
  std::vector<uint32_t> words;
  uint32_t count = 0;
  void append(std::initializer_list<uint32_t> operation) {
    words.insert(words.end(), operation);
    ++count;
  }
  std::vector<uint32_t> finish() {
    words[2] = count;
    words[3] = uint32_t(4 * words.size());
    return std::move(words);
  }
};
// Numbers of buffer descriptors that are free, in the order in which they became so: a task that was freed early may
// still use its own, and keeps them for longest.
struct Pool {
  std::deque<uint32_t> free;
  bool pop(uint64_t &id) {
    if (free.empty()) return false;
    id = free.front();
    free.pop_front();
    return true;
  }
  void push(uint64_t id) { free.push_back(uint32_t(id)); }
};
} // namespace aiec_sequence
#endif
