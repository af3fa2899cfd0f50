//! The built-in kernels: the functions of mlir-aie's kernel library (mlir-aie: aie_kernels/), for
//! cores that call them without bringing their code along.
//!
//! A name is a stem and words that say how and for which types the library was compiled:
//! `reduce_max_vector_bfloat16`. Sizes and types come from the call.

use aiec_device::Arch;
use aiec_vcode::{ArgumentType, ElementType, Signature, kernel_words};

use super::activation::{
    epilogue, exp, exp2, gelu, layer_norm, rms_norm, rope, silu, softmax, swiglu,
};
use super::cascade_product::{self, RowPosition};
use super::convolution::{conv_1x1, conv_1x1_skip, conv_1x1_skip_init, conv_3x3, depthwise};
use super::elementwise::{
    add, add_row, bitwise_and, bitwise_or, compute_max, compute_min, mul, mul_add, pass_through,
    reduce_add, reduce_max, reduce_min, relu, scale, threshold, zero,
};
use super::matrix::{matmul, matmul_scalar, matvec};
use super::number::Done;
use super::style::Style;
use super::vision::{add_weighted, filter, gray_to_rgba, rgba_to_gray, rgba_to_hue};
use super::{Kernel, KernelArguments, KernelStep};
use crate::core::bus::CoreFault;

/// A kernel of the library.
struct Row {
    /// Prefix of its names.
    stem: &'static str,
    /// Its parameters, as users know them. Those with a `*` are buffers, those in brackets may be
    /// missing, `size` means a width, or a height and a width.
    parameters: &'static str,
    run: Run,
}

/// Implementations of kernels.
enum Run {
    /// All at once.
    Whole(fn(&mut KernelArguments<'_, '_>, Style) -> Done),
    /// A product whose sums go along the cascade.
    Cascade(RowPosition),
}

const fn row(
    stem: &'static str,
    parameters: &'static str,
    run: fn(&mut KernelArguments<'_, '_>, Style) -> Done,
) -> Row {
    Row {
        stem,
        parameters,
        run: Run::Whole(run),
    }
}

const fn cascade_product(stem: &'static str, place: RowPosition) -> Row {
    Row {
        stem,
        parameters: "a*,b*,c*",
        run: Run::Cascade(place),
    }
}

/// The kernels. A stem that begins another one comes after it.
static ROWS: [Row; 54] = [
    row("passThroughLine", "in*,out*,size", pass_through),
    row("passThroughTile", "in*,out*,size", pass_through),
    row("eltwise_mul_add", "a*,b*,out*,is_mul", mul_add),
    row("eltwise_add", "a*,b*,out*,[count]", add),
    row("eltwise_mul", "a*,b*,out*,[count]", mul),
    row("vector_scalar_mul", "in*,out*,factor*,count", scale),
    row("bf16_relu", "in*,out*", relu),
    row("relu", "in*,out*,[count]", relu),
    row("reduce_add", "in*,out*,count", reduce_add),
    row("reduce_min", "in*,out*,count", reduce_min),
    row("reduce_max", "in*,out*,count", reduce_max),
    row("compute_max", "a*,b*,out*", compute_max),
    row("compute_min", "a*,b*,out*", compute_min),
    row("zero", "out*", zero),
    row("bitwiseORLine", "a*,b*,out*,size", bitwise_or),
    row("bitwiseORTile", "a*,b*,out*,size", bitwise_or),
    row("bitwiseANDLine", "a*,b*,out*,size", bitwise_and),
    row("bitwiseANDTile", "a*,b*,out*,size", bitwise_and),
    row(
        "thresholdLine",
        "in*,out*,size,threshold,most,sort",
        threshold,
    ),
    row(
        "thresholdTile",
        "in*,out*,size,threshold,most,sort",
        threshold,
    ),
    cascade_product("matmul_scalar_cascade_put_only", RowPosition::First),
    cascade_product("matmul_scalar_cascade_put_get", RowPosition::Middle),
    cascade_product("matmul_scalar_cascade_get_only", RowPosition::Last),
    row("matmul_scalar", "a*,b*,c*", matmul_scalar),
    row("matmul", "a*,b*,c*", matmul),
    row("matvec_scalar", "a*,b*,c*", matvec),
    row("matvec_vectorized", "a*,b*,c*", matvec),
    row("rgba2grayLine", "in*,out*,size", rgba_to_gray),
    row("rgba2grayTile", "in*,out*,size", rgba_to_gray),
    row("gray2rgbaLine", "in*,out*,size", gray_to_rgba),
    row("gray2rgbaTile", "in*,out*,size", gray_to_rgba),
    row("rgba2hueLine", "in*,out*,size", rgba_to_hue),
    row("rgba2hueTile", "in*,out*,size", rgba_to_hue),
    row(
        "filter2dLine",
        "above*,line*,below*,out*,width,weights*",
        filter,
    ),
    row(
        "addWeightedLine",
        "a*,b*,out*,size,alpha,beta,gamma",
        add_weighted,
    ),
    row(
        "addWeightedTile",
        "a*,b*,out*,size,alpha,beta,gamma",
        add_weighted,
    ),
    row("exp_bf16_1024", "in*,out*", exp),
    row("exp2f_vec", "in*,out*,count", exp2),
    row("cast_f32_bf16_row", "in*,out*,columns", pass_through),
    row("row_wise_bias_add", "in*,bias*,out*", add_row),
    row("dwconv1d", "in*,weights*,out*,count", depthwise),
    row(
        "mm_activation_epilogue_row",
        "in*,out*,count,mode",
        epilogue,
    ),
    row("silu", "in*,out*", silu),
    row("gelu", "in*,out*", gelu),
    row("swiglu", "in*,w1*,w2*,out*", swiglu),
    row("softmax", "in*,out*,count", softmax),
    row("rms_norm", "in*,out*,columns", rms_norm),
    row("layer_norm", "in*,out*,columns", layer_norm),
    row("rope", "in*,angles*,out*,count", rope),
    row("conv2dk1_skip_init", CONV_SKIP_INIT, conv_1x1_skip_init),
    row("conv2dk1_skip", CONV_SKIP, conv_1x1_skip),
    row("conv2dk1_relu", CONV_1X1, conv_1x1),
    row("conv2dk1", CONV_1X1, conv_1x1),
    row("conv2dk3", CONV_3X3, conv_3x3),
];

const CONV_1X1: &str = "in*,weights*,out*,width,inputs,outputs,shift";
const CONV_3X3: &str = "above*,line*,below*,weights*,out*,width,inputs,outputs,kernel_width,kernel_height,\
                        border,shift,first";
const CONV_SKIP: &str = "in0*,in1*,weights*,out*,skip*,width,inputs,outputs,shift,skip_shift";
const CONV_SKIP_INIT: &str = "in0*,in1*,weights*,out*,skip*,width,inputs,outputs,skip_inputs,shift,skip_shift,\
                              skip_conv_shift";

/// A kernel of the library under one of its names.
pub(super) struct Builtin {
    row: &'static Row,
    style: Style,
    /// The types in its name.
    types: Vec<ElementType>,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Builtin").field(&self.row.stem).finish()
    }
}

/// The stems of the names of all kernels, in the order of the table, with their parameters.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.iter().map(|row| (row.stem, row.parameters))
}

/// The kernel of a name.
pub(super) fn find(name: &str, arch: Arch) -> Option<Builtin> {
    ROWS.iter().find_map(|row| {
        let (types, scalar) = kernel_words(name.strip_prefix(row.stem)?)?;
        let scalar = scalar || row.stem.ends_with("_scalar");
        let style = Style {
            vector: !scalar,
            tile: row.stem.ends_with("Tile"),
            arch,
        };
        Some(Builtin { row, style, types })
    })
}

impl Builtin {
    /// Whether an argument is a buffer, for each that may be there, and how many must be.
    fn parameters(&self) -> (Vec<bool>, usize) {
        let mut buffers = Vec::new();
        let mut needed = 0;
        for name in self.row.parameters.split(',') {
            let times = 1 + usize::from(name == "size" && self.style.tile);
            buffers.resize(buffers.len() + times, name.ends_with('*'));
            if !name.starts_with('[') {
                needed = buffers.len();
            }
        }
        (buffers, needed)
    }

    /// The parameters in words.
    fn usage(&self) -> String {
        let size = ["width", "height, width"][usize::from(self.style.tile)];
        let parameters = self.row.parameters.replace(',', ", ");
        format!("({})", parameters.replace("size", size))
    }
}

/// Whether an element may be where the name says a type: the sign doesn't matter.
fn same(named: ElementType, element: ElementType) -> bool {
    match (named, element) {
        (ElementType::Int { width: a, .. }, ElementType::Int { width: b, .. }) => a == b,
        (a, b) => a == b,
    }
}

impl Kernel for Builtin {
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault> {
        let step = match self.row.run {
            Run::Whole(run) => run(arguments, self.style).map(|cycles| KernelStep::end(cycles, 0)),
            Run::Cascade(place) => cascade_product::begin(arguments, place),
        };
        step.map_err(|failure| failure.fault(&arguments.signature.name))
    }

    fn raises_events(&self) -> bool {
        true
    }

    fn check(&self, signature: &Signature) -> Result<(), String> {
        let (buffers, needed) = self.parameters();
        let arguments = &signature.arguments;
        let fits = (needed..=buffers.len()).contains(&arguments.len())
            && arguments
                .iter()
                .zip(&buffers)
                .all(|(argument, buffer)| match argument {
                    ArgumentType::Buffer { .. } => *buffer,
                    ArgumentType::Scalar(element) => !*buffer && !element.is_float(),
                })
            && signature.result.is_none();
        if !fits {
            return Err(format!(
                "the built-in kernel of that name takes {}, buffers with a star, the rest integers",
                self.usage()
            ));
        }
        // A factor has its own type.
        let names = self.row.parameters.split(',');
        let elements: Vec<ElementType> = arguments
            .iter()
            .zip(names)
            .filter_map(|(argument, name)| match argument {
                ArgumentType::Buffer { element, .. } if name != "factor*" => Some(*element),
                _ => None,
            })
            .collect();
        let known = |element: &ElementType| {
            matches!(
                element,
                ElementType::Int {
                    width: 8 | 16 | 32,
                    ..
                } | ElementType::Bf16
                    | ElementType::F16
                    | ElementType::F32
            )
        };
        if let Some(element) = elements.iter().find(|element| !known(element)) {
            return Err(format!(
                "the built-in kernel isn't for elements of {element}"
            ));
        }
        let floats = elements.iter().filter(|element| element.is_float()).count();
        if floats != 0 && floats != elements.len() {
            return Err("the built-in kernel isn't for integers and floats at once".to_string());
        }
        let last = elements.len().saturating_sub(1);
        let wrong = elements.iter().enumerate().find_map(|(i, element)| {
            let named = match self.types[..] {
                [] => return None,
                [all] => all,
                [input, output, ..] => {
                    if i == last {
                        output
                    } else {
                        input
                    }
                }
            };
            (!same(named, *element)).then_some((named, element))
        });
        match wrong {
            Some((named, element)) => Err(format!(
                "its name says {named}, but it is called with elements of {element}"
            )),
            None => Ok(()),
        }
    }
}
