//! Second halves of operations that read operands or reach memory some bundles after their issue.

use super::execute::Executor;
use super::op::{
    CascadePart, Conversion, Forwarding, ProductOp, Read, Sign, Source, TimedConversion, Write,
};
use super::products::{self, Configuration, Inputs, Signs};
use super::registers::{BF8_VARIANT, CASCADE_WORD, FP8_VARIANT, PIECE, R, Scalar, Vector, WIDEST};

/// Bytes of the widest source of a product.
const WIDEST_SOURCE: usize = 128;
/// r31: the quarter of an accumulator that the cascade's next word is.
const CASCADE_POSITION: Scalar = R + 31;
/// Cycles until an increased r31 is read (llvm-aie: `AIE2PGenSchedule.td`).
const CASCADE_POSITION_LATENCY: u8 = 2;
/// The path of a word of the cascade to the operation that takes it, in the same bundle: it lands in
/// the next cycle.
pub(super) const CASCADE_PATH: Forwarding = Forwarding::Product;
/// Bytes of the widest access to memory.
const WIDEST_ACCESS: usize = 64;

/// The second half of an operation.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "the others are small, but rare")]
pub(super) enum Later {
    /// Bytes on their way to memory.
    Store {
        address: u32,
        bytes: u8,
        data: [u8; WIDEST_ACCESS],
    },
    /// A byte or half word, which is read from its register now; loads see it some bundles later.
    StorePart {
        address: u32,
        bytes: u8,
        register: Scalar,
        seen: u8,
    },
    Convert {
        to: Target,
        input: Input,
        conversion: TimedConversion,
    },
    /// A product whose accumulators are read now.
    Product(Box<Product>),
    /// `d = d ± product`, where `d` is read now.
    MultiplyAdd {
        d: Scalar,
        product: u32,
        subtract: bool,
        latency: u8,
    },
}

/// Where the result of a conversion goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Register(Write),
    Memory {
        address: u32,
        bytes: u8,
        /// Cycles until loads see it.
        seen: u8,
    },
}

/// Sources of a conversion.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "most inputs are bytes")]
pub(super) enum Input {
    /// A register that is read `late` cycles from now.
    Register(Read),
    Bytes {
        bytes: u16,
        data: [u8; WIDEST],
    },
}

/// A product with its sources, which were read when it was issued.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub op: ProductOp,
    /// The sources have as many bytes as the operation says; others are of operations before.
    pub first: [u8; WIDEST_SOURCE],
    pub second: [u8; WIDEST_SOURCE],
    /// Block exponents of the sources.
    pub exponents: ([u8; 8], [u8; 8]),
    /// Part that the cascade adds.
    pub cascade: Option<Box<[u8; WIDEST]>>,
    pub configuration: Configuration,
    /// The products that it is of.
    pub products: Option<products::Product>,
}

/// The products of the last instruction that was found to have a model, as the next one is mostly of the same form.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownProducts {
    form: u64,
    configuration: Configuration,
    /// Registers choose variants of 8-bit formats.
    other_formats: bool,
    products: Option<products::Product>,
}

impl Input {
    pub fn new(source: &[u8]) -> Input {
        let mut data = [0; WIDEST];
        data[..source.len()].copy_from_slice(source);
        Input::Bytes {
            bytes: source.len() as u16,
            data,
        }
    }
}

impl Target {
    /// As it is `late` cycles later.
    fn late_by(self, late: u8) -> Target {
        match self {
            Target::Register(d) => Target::Register(d.late_by(late)),
            Target::Memory {
                address,
                bytes,
                seen,
            } => Target::Memory {
                address,
                bytes,
                seen: seen.saturating_sub(late),
            },
        }
    }
}

impl Executor<'_, '_, '_> {
    /// Does the second half of an operation.
    pub(super) fn finish(&mut self, later: &Later) -> Result<(), String> {
        match later {
            Later::Store {
                address,
                bytes,
                data,
            } => self.store_bytes(*address, &data[..usize::from(*bytes)]),
            Later::StorePart {
                address,
                bytes,
                register,
                seen,
            } => {
                let value = self.pipeline.scalar(*register).to_le_bytes();
                self.store_seen(*address, &value[..usize::from(*bytes)], *seen)
            }
            Later::Convert {
                to,
                input,
                conversion,
            } => self.convert_when_read(*to, input.clone(), *conversion),
            Later::Product(product) => self.finish_product(product),
            Later::MultiplyAdd {
                d,
                product,
                subtract,
                latency,
            } => {
                let old = self.pipeline.scalar(*d);
                let value = if *subtract {
                    old.wrapping_sub(*product)
                } else {
                    old.wrapping_add(*product)
                };
                self.pipeline.write(*d, value, *latency);
                Ok(())
            }
        }
    }

    /// Stores bytes that loads see from `seen` bundles from now on: at once while a bundle is
    /// issued, if that is the next one.
    pub(super) fn store_seen(
        &mut self,
        address: u32,
        bytes: &[u8],
        seen: u8,
    ) -> Result<(), String> {
        if seen == 0 || (self.issue.issues && seen == 1) {
            return self.store_bytes(address, bytes);
        }
        let mut data = [0; WIDEST_ACCESS];
        data[..bytes.len()].copy_from_slice(bytes);
        let later = Later::Store {
            address,
            bytes: bytes.len() as u8,
            data,
        };
        self.pipeline.put_off(later, seen);
        Ok(())
    }

    /// Reads what of a conversion's operands is read now; converts if that is all.
    pub(super) fn convert_when_read(
        &mut self,
        to: Target,
        mut input: Input,
        mut timed: TimedConversion,
    ) -> Result<(), String> {
        if let Input::Register(read) = input
            && read.late == 0
        {
            input = Input::new(&self.pipeline.vector(read));
        }
        if timed.late == 0 {
            timed.conversion = self.bound(timed.conversion);
        }
        let source_late = match input {
            Input::Register(read) => read.late,
            Input::Bytes { .. } => 0,
        };
        let waits = [source_late, timed.late, timed.mode_late];
        let Some(wait) = waits.into_iter().filter(|late| *late != 0).min() else {
            let Input::Bytes { bytes, data } = &input else {
                return Ok(());
            };
            return self.convert_now(to, &data[..usize::from(*bytes)], timed.conversion);
        };
        if let Input::Register(read) = &mut input {
            read.late -= wait;
        }
        let conversion = TimedConversion {
            conversion: timed.conversion,
            late: timed.late.saturating_sub(wait),
            mode_late: timed.mode_late.saturating_sub(wait),
        };
        let later = Later::Convert {
            to: to.late_by(wait),
            input,
            conversion,
        };
        self.pipeline.put_off(later, wait);
        Ok(())
    }

    #[inline(never)]
    fn convert_now(
        &mut self,
        to: Target,
        source: &[u8],
        conversion: Conversion,
    ) -> Result<(), String> {
        if let Conversion::NarrowFloat(_, Some(Source::Immediate(1..))) = conversion {
            return Err("a shift in a conversion to 8 bits is not simulated: unconfirmed".into());
        }
        match to {
            Target::Register(d) => {
                let mut result = [0; WIDEST];
                let result = &mut result[..usize::from(d.vector.bytes)];
                self.converted(conversion, source, result);
                self.pipeline.write_vector(d, result);
                Ok(())
            }
            Target::Memory {
                address,
                bytes,
                seen,
            } => {
                let mut result = [0; WIDEST_ACCESS];
                let result = &mut result[..usize::from(bytes)];
                self.converted(conversion, source, result);
                self.store_seen(address, result, seen)
            }
        }
    }

    /// A conversion with its shift and sign as they are now.
    fn bound(&self, conversion: Conversion) -> Conversion {
        let sign = |sign| Sign::Fixed(self.pipeline.sign(sign));
        let shift = |source| Source::Immediate(self.pipeline.source(source));
        match conversion {
            Conversion::Srs(widths, signed, by) => Conversion::Srs(widths, sign(signed), shift(by)),
            Conversion::Ups(widths, signed, by) => Conversion::Ups(widths, sign(signed), shift(by)),
            Conversion::Pack(widths, signed) => Conversion::Pack(widths, sign(signed)),
            Conversion::Unpack(widths, signed) => Conversion::Unpack(widths, sign(signed)),
            Conversion::FloorFloat(by) => Conversion::FloorFloat(shift(by)),
            Conversion::NarrowFloat(format, by) => Conversion::NarrowFloat(format, by.map(shift)),
            Conversion::None | Conversion::WidenFloat(_) | Conversion::Exp2 | Conversion::Tanh => {
                conversion
            }
        }
    }

    /// Issues a product: its sources and configuration are read, and what has no model is refused.
    #[inline(never)]
    pub(super) fn product(&mut self, op: &ProductOp) -> Result<(), String> {
        let configuration = Configuration(self.pipeline.scalar(op.configuration));
        let formats = [BF8_VARIANT, FP8_VARIANT].map(|register| self.pipeline.scalar(register));
        let products = self.products_of(op, configuration, formats != [0, 0])?;
        let late = op.first.or(op.second).map_or(0, |read| read.late);
        let mut product = self.pipeline.spare_product();
        product.op = *op;
        product.op.d = op.d.late_by(late);
        product.configuration = configuration;
        product.products = products;
        let pipeline = &*self.pipeline;
        if let Some((a, b)) = op.exponents {
            product.exponents = (
                pipeline.pair(a).to_le_bytes(),
                pipeline.pair(b).to_le_bytes(),
            );
        }
        if let Some((a, b)) = op.sources {
            copy_pieces(pipeline.held(a), &mut product.first);
            copy_pieces(pipeline.held(b), &mut product.second);
        }
        product.cascade = op.cascade.map(|part| {
            let mut word = Box::new([0; WIDEST]);
            self.expand_cascade(part, &mut word[..]);
            word
        });
        if late == 0 {
            let done = self.finish_product(&product);
            self.pipeline.keep_product(product);
            return done;
        }
        self.pipeline.put_off(Later::Product(product), late);
        Ok(())
    }

    /// The products of an instruction.
    ///
    /// # Errors
    /// They have no model.
    #[inline(always)]
    fn products_of(
        &mut self,
        op: &ProductOp,
        configuration: Configuration,
        other_formats: bool,
    ) -> Result<Option<products::Product>, String> {
        let known = &self.issue.products;
        if (known.form, known.configuration) == (op.form, configuration)
            && known.other_formats == other_formats
        {
            return Ok(known.products);
        }
        let products = self.checked_products(op, configuration, other_formats)?;
        self.issue.products = KnownProducts {
            form: op.form,
            configuration,
            other_formats,
            products,
        };
        Ok(products)
    }

    #[cold]
    #[inline(never)]
    fn checked_products(
        &self,
        op: &ProductOp,
        configuration: Configuration,
        other_formats: bool,
    ) -> Result<Option<products::Product>, String> {
        let empty = [0; WIDEST_SOURCE];
        let source = |vector: Vector| &empty[..usize::from(vector.bytes)];
        let none: &[u8] = &[];
        let has_second = op.second.is_some() || op.cascade.is_some();
        let inputs = Inputs {
            sources: op.sources.map(|(a, b)| (source(a), source(b))),
            exponents: op.exponents.map(|_| (&[0; 8], &[0; 8])),
            sparse: op.sparse,
            first: op.first.map(|_| none),
            second: has_second.then_some(none),
            signs: op.signs,
            configuration,
        };
        let bytes = op.d.vector.bytes.into();
        let checked = inputs.check(self.issue.arch, op.float, bytes, other_formats);
        checked.map_err(|unconfirmed| {
            format!(
                "{} is not simulated: unconfirmed (configuration {:#x})",
                unconfirmed.0, configuration.0
            )
        })
    }

    #[inline(never)]
    fn finish_product(&mut self, product: &Product) -> Result<(), String> {
        let op = &product.op;
        let pipeline = &*self.pipeline;
        let mut places = [None, None];
        let [first_place, second_place] = &mut places;
        let first = op.first.map(|read| pipeline.vector_in(read, first_place));
        let second = match &product.cascade {
            Some(word) => Some(&word[..usize::from(op.d.vector.bytes)]),
            None => op.second.map(|read| pipeline.vector_in(read, second_place)),
        };
        let inputs = product.inputs(first, second);
        let mut result = [0; WIDEST];
        let d = &mut result[..usize::from(op.d.vector.bytes)];
        if op.float {
            inputs.floats(self.issue.arch, product.products, d);
        } else {
            inputs.integers(product.products, d);
        }
        self.pipeline.write_vector(op.d, d);
        Ok(())
    }
}

impl Executor<'_, '_, '_> {
    /// Puts the word that the bundle took from the cascade into a quarter of `d`. That r31 counts
    /// quarters modulo 4, and that it is increased by 1, is unconfirmed (llvm-aie has the names
    /// `scd_expand_ACC2048` and `scd_expand_ACC2048_incr` with a position).
    pub(super) fn expand_cascade(&mut self, part: CascadePart, d: &mut [u8]) {
        let quarter = match part {
            CascadePart::Fixed(quarter) => u32::from(quarter),
            CascadePart::Register | CascadePart::Increment => {
                self.pipeline.scalar(CASCADE_POSITION)
            }
        };
        if part == CascadePart::Increment {
            let next = quarter.wrapping_add(1);
            self.pipeline
                .write(CASCADE_POSITION, next, CASCADE_POSITION_LATENCY);
        }
        let bytes = usize::from(CASCADE_WORD.bytes);
        let parts = d.len() / bytes;
        let read = Read::new(CASCADE_WORD, 0, CASCADE_PATH);
        let word = self.pipeline.vector(read);
        d[quarter as usize % parts * bytes..][..bytes].copy_from_slice(&word);
    }
}

/// Copies a source, which is of whole pieces.
#[inline(always)]
fn copy_pieces(source: &[u8], d: &mut [u8; WIDEST_SOURCE]) {
    let pieces = source.as_chunks::<PIECE>().0;
    for (d, piece) in d.as_chunks_mut::<PIECE>().0.iter_mut().zip(pieces) {
        *d = *piece;
    }
}

impl Product {
    /// A product of nothing.
    pub fn empty() -> Product {
        let nothing = Vector { first: 0, bytes: 0 };
        Product {
            op: ProductOp {
                d: Write::new(nothing, 0, Forwarding::None),
                sources: None,
                exponents: None,
                sparse: false,
                first: None,
                second: None,
                cascade: None,
                signs: Signs::default(),
                configuration: 0,
                float: false,
                form: 0,
            },
            first: [0; WIDEST_SOURCE],
            second: [0; WIDEST_SOURCE],
            exponents: Default::default(),
            cascade: None,
            configuration: Configuration::default(),
            products: None,
        }
    }

    fn inputs<'a>(&'a self, first: Option<&'a [u8]>, second: Option<&'a [u8]>) -> Inputs<'a> {
        let bytes = |vector: Vector| usize::from(vector.bytes);
        Inputs {
            sources: self
                .op
                .sources
                .map(|(a, b)| (&self.first[..bytes(a)], &self.second[..bytes(b)])),
            exponents: self
                .op
                .exponents
                .map(|_| (&self.exponents.0, &self.exponents.1)),
            sparse: self.op.sparse,
            first,
            second,
            signs: self.op.signs,
            configuration: self.configuration,
        }
    }
}
