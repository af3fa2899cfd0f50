import struct


# Numbers of some bits, without sign.
def _low(n, bits):
    return n & ((1 << bits) - 1)


def _sint(n, bits):
    sign = 1 << (bits - 1)
    return (_low(n, bits) ^ sign) - sign


def _add(a, b, bits):
    return _low(a + b, bits)


def _sub(a, b, bits):
    return _low(a - b, bits)


def _mul(a, b, bits):
    return _low(a * b, bits)


def _shl(a, b, bits):
    return 0 if b >= bits else _low(a << b, bits)


def _shru(a, b, bits):
    return 0 if b >= bits else a >> b


def _shrs(a, b, bits):
    return _low(_sint(a, bits) >> min(b, bits - 1), bits)


def _divu(a, b, bits):
    return a // b


def _remu(a, b, bits):
    return a % b


def _ceildivu(a, b, bits):
    return -(-a // b)


def _divs(a, b, bits):
    x, y = _sint(a, bits), _sint(b, bits)
    quotient = abs(x) // abs(y)
    return _low(quotient if (x < 0) == (y < 0) else -quotient, bits)


def _rems(a, b, bits):
    x, y = _sint(a, bits), _sint(b, bits)
    rest = abs(x) % abs(y)
    return _low(-rest if x < 0 else rest, bits)


def _floordivs(a, b, bits):
    return _low(_sint(a, bits) // _sint(b, bits), bits)


def _ceildivs(a, b, bits):
    return _low(-(-_sint(a, bits) // _sint(b, bits)), bits)


def _minu(a, b, bits):
    return min(a, b)


def _maxu(a, b, bits):
    return max(a, b)


def _mins(a, b, bits):
    return _low(min(_sint(a, bits), _sint(b, bits)), bits)


def _maxs(a, b, bits):
    return _low(max(_sint(a, bits), _sint(b, bits)), bits)


def _rounds(start, until, step, bits, is_signed):
    reads = _sint if is_signed else _low
    span = reads(until, bits) - reads(start, bits)
    return -(-span // step) if span > 0 else 0


def _field(n, right, mask, left):
    return ((n >> right) & mask) << left


class _Transaction:
    def __init__(self, header):
        self.words, self.count = list(header), 0

    def append(self, *operation):
        self.words += operation
        self.count += 1

    def finish(self):
        self.words[2], self.words[3] = self.count, 4 * len(self.words)
        return struct.pack(f"<{len(self.words)}I", *self.words)
