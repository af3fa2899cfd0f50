//! Field values to the bits of chunks and back.

use crate::set::low_bits;
use crate::{BitOrder, Field, Instruction, Set};

impl Set {
    /// Appends the first `chunks` chunks of an instruction with these field values, one for each
    /// field in order; missing ones are defaults. Fields that lie after the last chunk are left
    /// out, of a value that is too large the low bits are taken.
    pub fn pack(&self, instruction: &Instruction, values: &[u64], chunks: u32, out: &mut Vec<u64>) {
        let first = out.len();
        out.resize(first + chunks as usize, 0);
        let Some(packed) = out.get_mut(first..) else {
            return;
        };
        let layout = BitLayout::of(self, instruction);
        layout.put(packed, layout.code, self.code_bits, instruction.code);
        for (at, field) in instruction.fields().iter().enumerate() {
            let value = values.get(at).copied();
            let value = value.unwrap_or(field.default_value());
            layout.put(packed, field.position, field.bits, value);
        }
    }

    /// The values of the fields, one for each in order, into `values`. Fields that don't lie
    /// wholly in the chunks have their defaults.
    pub fn unpack(&self, instruction: &Instruction, chunks: &[u64], values: &mut Vec<u64>) {
        let layout = BitLayout::of(self, instruction);
        values.clear();
        values.extend(instruction.fields().iter().map(|field| {
            if self.chunks_to(instruction, field) as usize <= chunks.len() {
                layout.get(chunks, field.position, field.bits)
            } else {
                field.default_value()
            }
        }));
    }

    /// The code in the first chunk of an instruction.
    pub fn code_of(&self, first: u64) -> u64 {
        let low = match self.order {
            BitOrder::MsbFirst => self.chunk_bits - self.code_bits,
            BitOrder::LsbFirst { code_position } => code_position,
        };
        (first >> low) & low_bits(self.code_bits)
    }

    /// Number of chunks that hold a field and all before it: 1 for a field in the first.
    pub fn chunks_to(&self, instruction: &Instruction, field: &Field) -> u32 {
        let last = match self.order {
            BitOrder::MsbFirst => {
                let total = self.chunk_bits * instruction.longest();
                total - 1 - field.position
            }
            BitOrder::LsbFirst { .. } => field.position + field.bits - 1,
        };
        last / self.chunk_bits + 1
    }

    /// The least number of chunks that holds every field whose value isn't its default.
    pub fn least_chunks(&self, instruction: &Instruction, values: &[u64]) -> u32 {
        let fields = instruction.fields().iter().zip(values);
        fields
            .filter(|(field, value)| field.default_value() != **value)
            .map(|(field, _)| self.chunks_to(instruction, field))
            .max()
            .unwrap_or(1)
    }

    /// The bits that are set in these chunks and that no field names, for each chunk.
    pub fn unnamed_bits(&self, instruction: &Instruction, chunks: &[u64]) -> Vec<u64> {
        let layout = BitLayout::of(self, instruction);
        let mut rest = chunks.to_vec();
        layout.clear(&mut rest, layout.code, self.code_bits);
        for field in instruction.fields() {
            layout.clear(&mut rest, field.position, field.bits);
        }
        rest
    }
}

/// Where positions of an instruction lie.
struct BitLayout {
    chunk_bits: u32,
    /// Bits of the longest form if positions count from its last bit.
    msb_first: Option<u32>,
    /// Position of the code.
    code: u32,
}

impl BitLayout {
    fn of(set: &Set, instruction: &Instruction) -> BitLayout {
        let total = set.chunk_bits * instruction.longest();
        let (msb_first, code) = match set.order {
            BitOrder::MsbFirst => (Some(total), total - set.code_bits),
            BitOrder::LsbFirst { code_position } => (None, code_position),
        };
        BitLayout {
            chunk_bits: set.chunk_bits,
            msb_first,
            code,
        }
    }

    /// The pieces of a field, lowest bits first: chunk, lowest bit in it, bits.
    fn pieces(&self, position: u32, bits: u32) -> impl Iterator<Item = (usize, u32, u32)> {
        let (chunk_bits, msb_first) = (self.chunk_bits, self.msb_first);
        let (mut at, end) = (position, position + bits);
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            // chunks are counted from the end, so that both orders have borders at the same bits
            let (chunk, low) = (at / chunk_bits, at % chunk_bits);
            let piece = (chunk_bits - low).min(end - at);
            at += piece;
            let chunk = match msb_first {
                Some(total) => total / chunk_bits - 1 - chunk,
                None => chunk,
            };
            Some((chunk as usize, low, piece))
        })
    }

    fn put(&self, chunks: &mut [u64], position: u32, bits: u32, value: u64) {
        let mut left = value;
        for (chunk, low, piece) in self.pieces(position, bits) {
            if let Some(word) = chunks.get_mut(chunk) {
                *word |= (left & low_bits(piece)) << low;
            }
            left = left.checked_shr(piece).unwrap_or(0);
        }
    }

    fn get(&self, chunks: &[u64], position: u32, bits: u32) -> u64 {
        let (mut value, mut done) = (0, 0);
        for (chunk, low, piece) in self.pieces(position, bits) {
            let word = chunks.get(chunk).copied().unwrap_or(0);
            value |= ((word >> low) & low_bits(piece)) << done;
            done += piece;
        }
        value
    }

    fn clear(&self, chunks: &mut [u64], position: u32, bits: u32) {
        for (chunk, low, piece) in self.pieces(position, bits) {
            if let Some(word) = chunks.get_mut(chunk) {
                *word &= !(low_bits(piece) << low);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instruction(fields: Vec<Field>, longest: u32) -> Instruction {
        Instruction {
            fields: Some(fields),
            max_chunks: Some(longest),
            ..Instruction::new(5, "X")
        }
    }

    fn set(order: BitOrder, instruction: Instruction) -> Set {
        let set = Set {
            chunk_bits: 27,
            code_bits: 4,
            order,
            instructions: vec![instruction],
            ..Set::default()
        };
        set.checked().expect("a good set")
    }

    #[test]
    fn fields_run_on_across_chunks_from_the_most_significant_bit() {
        let fields = vec![Field::new("a", 20), Field::new("b", 6), Field::new("c", 2)];
        let set = set(BitOrder::MsbFirst, instruction(fields, 2));
        let x = &set.instructions[0];
        let mut chunks = Vec::new();
        set.pack(x, &[1, 0b10_1011, 2], 2, &mut chunks);
        // 0101, twenty bits, then three bits of b; its other three and c in the second chunk
        assert_eq!(chunks, [0b0101 << 23 | 1 << 3 | 0b101, 0b0_1110 << 22]);
        let mut values = Vec::new();
        set.unpack(x, &chunks, &mut values);
        assert_eq!(values, [1, 0b10_1011, 2]);
        // b doesn't lie wholly in the first chunk: it has its default
        set.unpack(x, &chunks[..1], &mut values);
        assert_eq!(values, [1, 0, 0]);
        assert_eq!(set.least_chunks(x, &[7, 0, 0]), 1);
        assert_eq!(set.least_chunks(x, &[0, 1, 0]), 2);
        assert_eq!(set.code_of(chunks[0]), 5);
        assert_eq!(set.unnamed_bits(x, &[chunks[0], chunks[1] | 9]), [0, 9]);
    }

    #[test]
    fn positions_count_from_the_least_significant_bit_of_the_first_chunk() {
        let fields = vec![Field::new("a", 10).at(22), Field::new("b", 4).at(40)];
        let order = BitOrder::LsbFirst { code_position: 8 };
        let set = set(order, instruction(fields, 2));
        let x = &set.instructions[0];
        let mut chunks = Vec::new();
        set.pack(x, &[0x2AF, 9], 2, &mut chunks);
        assert_eq!(chunks, [5 << 8 | 0xF << 22, (0x2AF >> 5) | 9 << 13]);
        let mut values = Vec::new();
        set.unpack(x, &chunks, &mut values);
        assert_eq!(values, [0x2AF, 9]);
        assert_eq!(set.code_of(chunks[0]), 5);
    }

    #[test]
    fn random_values_of_random_fields_come_back() {
        let mut random = fastrand::Rng::with_seed(0xA1EC);
        for _ in 0..2000 {
            let chunk_bits = random.u32(8..=64);
            let longest = random.u32(1..=4);
            let mut left = chunk_bits * longest - 4;
            let mut fields = Vec::new();
            while left > 0 && fields.len() < 40 {
                let bits = random.u32(1..=left.min(64));
                fields.push(Field::new(&format!("f{}", fields.len()), bits));
                left -= bits;
            }
            let values: Vec<u64> = fields.iter().map(|f| random.u64(..) & f.mask()).collect();
            let set = Set {
                chunk_bits,
                code_bits: 4,
                instructions: vec![instruction(fields, longest)],
                ..Set::default()
            };
            let set = set.checked().expect("a good set");
            let (mut chunks, mut again) = (Vec::new(), Vec::new());
            set.pack(&set.instructions[0], &values, longest, &mut chunks);
            assert!(chunks.iter().all(|c| *c <= low_bits(chunk_bits)));
            set.unpack(&set.instructions[0], &chunks, &mut again);
            assert_eq!(values, again);
        }
    }
}
