//! Which kernels there are.

use aiec_vcode::{ElementType, Sign, kernel_words};

/// Functions of a kernel by the types of its buffers, with the suffixes of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variants {
    /// Elements are only moved: one function.
    Moved,
    /// All of one type: `_int`, `_float`.
    Elementwise,
    /// Integers only: `_int`.
    Bitwise,
    /// Integers of 8 bits only: `_bytes`.
    Bytes,
    /// `_int`, `_int_wide` for a factor of more bits, `_float`.
    Scale,
    /// Floats are computed in f32: `_int`, `_float`, `_narrow_float`.
    InSingle,
    /// Floats only, in f32: `_float`, `_narrow_float`.
    Floats,
    /// Narrow floats only, in f32: `_narrow_float`.
    NarrowFloats,
    /// From f32 to narrow floats: `_float`.
    Narrowing,
    /// Products of matrices: `_int` for sums of more bits, `_int_same`, `_float` for narrow floats with sums of f32, `_float_narrow`,
    /// `_float_same` for f32.
    Product {
        /// Whether the matrices lie in blocks.
        blocked: bool,
    },
}

/// A kernel.
#[derive(Debug)]
pub(super) struct Row {
    /// Begin of its name; types and words of [`kernel_words`] may follow.
    pub stem: &'static str,
    /// Its parameters: buffers with a star, whole numbers, optional ones in brackets.
    pub parameters: &'static str,
    /// The function of the texts, without suffix.
    pub function: &'static str,
    pub variants: Variants,
    /// Whether that function takes a count of elements.
    pub counts: bool,
    /// Whole numbers that it takes after the count, the last ones of the parameters.
    pub numbers: usize,
}

const fn row(
    stem: &'static str,
    parameters: &'static str,
    function: &'static str,
    variants: Variants,
) -> Row {
    Row {
        stem,
        parameters,
        function,
        variants,
        counts: true,
        numbers: 0,
    }
}

/// A kernel with whole numbers besides counts.
const fn with_numbers(numbers: usize, row: Row) -> Row {
    Row { numbers, ..row }
}

/// A kernel whose function takes buffers and nothing else.
const fn fixed(
    stem: &'static str,
    parameters: &'static str,
    function: &'static str,
    variants: Variants,
) -> Row {
    Row {
        counts: false,
        ..row(stem, parameters, function, variants)
    }
}

use Variants::{
    Bitwise, Bytes, Elementwise, Floats, InSingle, Moved, NarrowFloats, Narrowing, Product, Scale,
};

/// All kernels; of two stems of which one begins the other, the longer one comes first.
pub(super) const ROWS: &[Row] = &[
    row("passThroughLine", "in*,out*,width", "pass_through", Moved),
    row(
        "passThroughTile",
        "in*,out*,height,width",
        "pass_through",
        Moved,
    ),
    row("eltwise_add", "a*,b*,out*,[count]", "add", Elementwise),
    row("eltwise_mul", "a*,b*,out*,[count]", "mul", Elementwise),
    row(
        "vector_scalar_mul",
        "in*,out*,factor*,count",
        "scale",
        Scale,
    ),
    row("bf16_relu", "in*,out*", "relu", Elementwise),
    row("relu", "in*,out*,[count]", "relu", Elementwise),
    row("reduce_add", "in*,out*,count", "reduce_add", InSingle),
    row("reduce_min", "in*,out*,count", "reduce_min", Elementwise),
    row("reduce_max", "in*,out*,count", "reduce_max", Elementwise),
    fixed("compute_max", "a*,b*,out*", "compute_max", Elementwise),
    fixed("compute_min", "a*,b*,out*", "compute_min", Elementwise),
    row("zero", "a*", "zero", Elementwise),
    row("bitwiseORLine", "a*,b*,out*,width", "or", Bitwise),
    row("bitwiseORTile", "a*,b*,out*,height,width", "or", Bitwise),
    row("bitwiseANDLine", "a*,b*,out*,width", "and", Bitwise),
    row("bitwiseANDTile", "a*,b*,out*,height,width", "and", Bitwise),
    fixed(
        "matmul_scalar",
        "a*,b*,out*",
        "matmul_scalar",
        Product { blocked: false },
    ),
    fixed("matmul", "a*,b*,out*", "matmul", Product { blocked: true }),
    fixed(
        "matvec_scalar",
        "a*,b*,out*",
        "matmul",
        Product { blocked: false },
    ),
    row("exp_bf16_1024", "in*,out*", "exp", Floats),
    row("exp2f_vec", "in*,out*,count", "exp2", Floats),
    row("cast_f32_bf16_row", "in*,out*,columns", "cast", Narrowing),
    row(
        "row_wise_bias_add",
        "in*,bias*,out*",
        "add_row",
        Elementwise,
    ),
    row(
        "dwconv1d",
        "in*,weights*,out*,count",
        "dwconv1d",
        NarrowFloats,
    ),
    row("silu", "in*,out*", "silu", Floats),
    row("gelu", "in*,out*", "gelu", Floats),
    row("swiglu", "a*,b*,c*,out*", "swiglu", Floats),
    row("softmax", "in*,out*,count", "softmax", Floats),
    row("rms_norm", "in*,out*,columns", "rms_norm", Floats),
    row("layer_norm", "in*,out*,columns", "layer_norm", Floats),
    row("rope", "in*,angles*,out*,count", "rope", Floats),
    with_numbers(
        3,
        row(
            "thresholdLine",
            "in*,out*,width,threshold,most,sort",
            "threshold",
            Bitwise,
        ),
    ),
    with_numbers(
        3,
        row(
            "thresholdTile",
            "in*,out*,height,width,threshold,most,sort",
            "threshold",
            Bitwise,
        ),
    ),
    with_numbers(
        4,
        fixed(
            "conv2dk1",
            "in*,weights*,out*,width,inputs,outputs,shift",
            "conv2dk1",
            Bytes,
        ),
    ),
    with_numbers(
        8,
        fixed(
            "conv2dk3",
            "above*,line*,below*,weights*,out*,width,inputs,outputs,kernel_width,kernel_height,border,shift,first",
            "conv2dk3",
            Bytes,
        ),
    ),
];

/// The kernel of a name without prefix.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    let is = |row: &&Row| {
        name.strip_prefix(row.stem)
            .is_some_and(|rest| kernel_words(rest).is_some())
    };
    ROWS.iter().find(is)
}

impl Row {
    /// Its parameters in order.
    pub fn parameter_list(&self) -> impl Iterator<Item = &'static str> {
        self.parameters.split(',')
    }

    /// The function for buffers of some elements; `None` if none is written for them.
    pub fn function_for(&self, elements: impl Iterator<Item = ElementType>) -> Option<String> {
        let elements: Vec<ElementType> = elements.collect();
        let (first, last) = (*elements.first()?, *elements.last()?);
        let same = elements.iter().all(|element| *element == first);
        let ints = integer_bits(first).zip(integer_bits(last));
        let narrow = matches!(first, ElementType::Bf16 | ElementType::F16);
        let single = first == ElementType::F32;
        let suffix = match self.variants {
            Variants::Moved => same.then_some("")?,
            Variants::Elementwise | Variants::Bitwise if same && ints.is_some() => "_int",
            Variants::Bytes if same && ints == Some((8, 8)) => "_bytes",
            Variants::Elementwise if same && (narrow || single) => "_float",
            Variants::Scale if same && ints.is_some() => "_int",
            Variants::Scale if same && (narrow || single) => "_float",
            Variants::Scale if elements[..2] == [first; 2] => {
                let (bits, factor) = ints?;
                (factor > bits).then_some("_int_wide")?
            }
            Variants::InSingle if same && ints.is_some() => "_int",
            Variants::InSingle | Variants::Floats if same && single => "_float",
            Variants::InSingle | Variants::Floats | Variants::NarrowFloats if same && narrow => {
                "_narrow_float"
            }
            Variants::Narrowing
                if single && matches!(last, ElementType::Bf16 | ElementType::F16) =>
            {
                "_float"
            }
            Variants::Product { .. } if elements[..2] == [first; 2] => match ints {
                Some((of_a, of_c)) if of_c > of_a => "_int",
                Some((of_a, of_c)) if of_c == of_a => "_int_same",
                Some(_) => return None,
                None if single && same => "_float_same",
                None if narrow && last == ElementType::F32 => "_float",
                None if narrow && same => "_float_narrow",
                None => return None,
            },
            _ => return None,
        };
        Some(format!("{}{suffix}", self.function))
    }
}

/// Bits of a signless integer.
fn integer_bits(element: ElementType) -> Option<u8> {
    match element {
        ElementType::Int {
            width,
            sign: Sign::Signless,
        } => Some(width),
        _ => None,
    }
}
