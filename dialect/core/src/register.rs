//! Registers of a core: a file and a number in it.

use std::fmt;

/// Declares [`RegisterFile`] with the prefix that its registers' names have.
macro_rules! register_files {
    ($($(#[$doc:meta])* $file:ident $prefix:literal $bits:literal,)*) => {
        /// A register file or a single named register.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum RegisterFile {
            $($(#[$doc])* $file,)*
        }

        impl RegisterFile {
            /// All files.
            pub const ALL: &[RegisterFile] = &[$(RegisterFile::$file,)*];

            /// Prefix of its registers' names: `r` of `r12`.
            pub fn prefix(self) -> &'static str {
                match self { $(RegisterFile::$file => $prefix,)* }
            }

            /// Width of one register in bits.
            pub fn bits(self) -> u32 {
                match self { $(RegisterFile::$file => $bits,)* }
            }
        }
    };
}

register_files! {
    /// General registers.
    R "r" 32,
    /// Pairs of general registers. AIE2: `l0` is `r17:r16`; AIE2P and AIE2PS: `l0` is `r1:r0`.
    L "l" 64,
    /// Pointers, byte addresses.
    P "p" 20,
    /// Modifiers: signed strides in bytes.
    M "m" 20,
    /// Dimension sizes.
    Dn "dn" 20,
    /// Strides of a dimension in bytes, offsets of indexed accesses.
    Dj "dj" 20,
    /// Dimension counters.
    Dc "dc" 20,
    /// Two-dimensional address generators: `m`, `dn`, `dj`, `dc` of the number.
    Dim2 "d" 80,
    /// Three-dimensional ones: those of the number and of the number + 4. Their names are `d0`..`d3`.
    Dim3 "d" 160,
    /// Shift amounts of SRS and UPS.
    S "s" 6,
    /// The link register.
    Lr "lr" 20,
    /// The stack pointer.
    Sp "sp" 20,
    /// Start of the hardware loop.
    Ls "ls" 20,
    /// Last bundle of the hardware loop.
    Le "le" 20,
    /// Count of the hardware loop.
    Lc "lc" 32,
    /// The data pointer of AIE2.
    Dp "dp" 20,
    /// Column and row of the core.
    CoreId "CORE_ID" 32,
    /// Low halves of vectors.
    Wl "wl" 256,
    /// High halves of vectors.
    Wh "wh" 256,
    /// Vectors.
    X "x" 512,
    /// Pairs of vectors. AIE2: `y2` is `x5:x4`; AIE2P and AIE2PS: `y0` is `x1:x0`.
    Y "y" 1024,
    /// Quarters of AIE2's accumulators, lowest first.
    Amll "amll" 256,
    /// The second quarter.
    Amlh "amlh" 256,
    /// The third quarter.
    Amhl "amhl" 256,
    /// The highest quarter.
    Amhh "amhh" 256,
    /// Low halves of AIE2's accumulators.
    Bml "bml" 512,
    /// High halves.
    Bmh "bmh" 512,
    /// Accumulators of AIE2.
    Cm "cm" 1024,
    /// Quarters of the accumulators of AIE2P and AIE2PS, lowest first.
    Bmll "bmll" 512,
    /// The second quarter.
    Bmlh "bmlh" 512,
    /// The third quarter.
    Bmhl "bmhl" 512,
    /// The highest quarter.
    Bmhh "bmhh" 512,
    /// Low halves of the accumulators of AIE2P and AIE2PS.
    Cml "cml" 1024,
    /// High halves.
    Cmh "cmh" 1024,
    /// Accumulators of AIE2P and AIE2PS.
    Dm "dm" 2048,
    /// Sparsity masks.
    Q "q" 128,
    /// A vector with its sparsity mask (AIE2, AIE2P).
    Qx "qx" 640,
    /// Pairs of them (AIE2P).
    Qy "qy" 1280,
    /// A vector with block exponents and sparsity mask (AIE2P).
    Qex "qex" 704,
    /// Pairs of them (AIE2P).
    Qey "qey" 1408,
    /// The low half of one.
    Qwl "qwl" 320,
    /// The high half of one.
    Qwh "qwh" 320,
    /// Block exponents.
    E "e" 64,
    /// Low halves of block exponents.
    El "el" 32,
    /// High halves.
    Eh "eh" 32,
    /// Vectors with block exponents.
    Ex "ex" 576,
    /// Pairs of them.
    Ey "ey" 1152,
    /// Low halves of vectors with block exponents (AIE2PS): `wl`, `gl`, `el`.
    Ewl "ewl" 320,
    /// High halves.
    Ewh "ewh" 320,
    /// Pairs of MX vectors (AIE2PS).
    Fey "fey" 1536,
    /// Low halves of MX vectors: `wl`, `fl`, `gl`, `el`.
    Fewl "fewl" 384,
    /// High halves.
    Fewh "fewh" 384,
    /// Parts of MX vectors beside the vector: `f`, `g`, `e`.
    Feg "feg" 256,
    /// Low halves.
    Fegl "fegl" 128,
    /// High halves.
    Fegh "fegh" 128,
    /// Parts of MX vectors (AIE2PS).
    F "f" 128,
    /// Low halves.
    Fl "fl" 64,
    /// High halves.
    Fh "fh" 64,
    /// Parts of MX vectors (AIE2PS).
    G "g" 64,
    /// Low halves.
    Gl "gl" 32,
    /// High halves.
    Gh "gh" 32,
    /// Exponents and parts of MX vectors (AIE2PS).
    Eg "eg" 128,
    /// Low halves.
    Egl "egl" 64,
    /// High halves.
    Egh "egh" 64,
    /// MX vectors with their parts (AIE2PS).
    Fex "fex" 768,
    /// A pointer, the load fifo that it fills and the fifo's position: `p0, lf0, r24`.
    Plfr "plfr" 1152,
    /// The extra register of load fifos.
    Lfe "lfe" 512,
    /// High halves of load fifos.
    Lfh "lfh" 512,
    /// Low halves of load fifos.
    Lfl "lfl" 512,
    /// High half of the store fifo.
    Sfh "sfh" 512,
    /// Low half of the store fifo.
    Sfl "sfl" 512,
    /// Control and status registers and the fixed signs of instructions; the number is an index
    /// into [`CONTROL_NAMES`].
    Control "" 32,
}

/// Names of control registers (`cr…`), status bits (`sr…`) and the fixed signs that instructions
/// of AIE2P and AIE2PS use.
pub const CONTROL_NAMES: &[&str] = &[
    "crVaddSign",
    "crF2FMask",
    "crF2IMask",
    "crFPMask",
    "crMCDEn",
    "crPackSign",
    "crRnd",
    "crSCDEn",
    "crSRSSign",
    "crSat",
    "crUPSSign",
    "crUnpackSign",
    "crF2BMask",
    "crFPCnvFl2FxMask",
    "crFPCnvFx2FlMask",
    "crFPNlfMask",
    "crPackSize",
    "crSRSMode",
    "crUPSMode",
    "crUnpackSize",
    "crBF8conf",
    "crFP8conf",
    "crFPConvSat",
    "srCarry",
    "srCompr_uf",
    "srF2BFlags",
    "srF2FFlags",
    "srF2IFlags",
    "srFPCnvFl2Fx",
    "srFPCnvFx2Fl",
    "srFPFlags",
    "srFPNlf",
    "srFifo_of",
    "srFifo_uf",
    "srMS0",
    "srSRS_of",
    "srSS0",
    "srSparse_of",
    "srUPS_of",
    "packSign0",
    "packSign1",
    "srsSign0",
    "srsSign1",
    "unpackSign0",
    "unpackSign1",
    "upsSign0",
    "upsSign1",
    "vaddSign0",
    "vaddSign1",
];

/// One register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Register {
    /// Its file.
    pub file: RegisterFile,
    /// Its number in the file; 0 where the file has one register.
    pub number: u8,
}

/// Suffix of the names of three-dimensional address generators where they must differ from
/// two-dimensional ones.
const DIM3_SUFFIX: &str = "_3d";

impl Register {
    /// Whether this is a register's name, in whatever case: AIE2PS writes `crsat`.
    pub fn is_name(name: &str) -> bool {
        let mut controls = CONTROL_NAMES.iter();
        Register::of_name(name).is_some()
            || controls.any(|known| known.eq_ignore_ascii_case(name))
            || name.eq_ignore_ascii_case(RegisterFile::CoreId.prefix())
    }

    /// The register `number` of `file`.
    pub const fn new(file: RegisterFile, number: u8) -> Register {
        Register { file, number }
    }

    /// The control register, status bit or fixed sign of this name.
    pub fn control(name: &str) -> Option<Register> {
        let index = CONTROL_NAMES.iter().position(|known| *known == name)?;
        Some(Register::new(RegisterFile::Control, index as u8))
    }

    /// The register of this name. `d0` is the two-dimensional address generator, `d0_3d` the
    /// three-dimensional one.
    pub fn of_name(name: &str) -> Option<Register> {
        if let Some(control) = Register::control(name) {
            return Some(control);
        }
        let (stem, is_dim3) = match name.strip_suffix(DIM3_SUFFIX) {
            Some(stem) => (stem, true),
            None => (name, false),
        };
        let prefix = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &stem[prefix.len()..];
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        let file = *RegisterFile::ALL.iter().find(|file| {
            file.prefix() == prefix
                && file.is_numbered() != digits.is_empty()
                && (**file == RegisterFile::Dim3) == is_dim3
        })?;
        if prefix.is_empty() {
            return None;
        }
        let number = if digits.is_empty() {
            0
        } else {
            digits.parse().ok()?
        };
        Some(Register::new(file, number))
    }
}

impl RegisterFile {
    /// Whether its registers have numbers.
    pub fn is_numbered(self) -> bool {
        use RegisterFile::*;
        !matches!(
            self,
            Lr | Sp | Ls | Le | Lc | Dp | CoreId | Lfe | Sfh | Sfl | Control
        )
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file {
            RegisterFile::Control => {
                let name = CONTROL_NAMES.get(usize::from(self.number));
                f.write_str(name.unwrap_or(&"?"))
            }
            file if file.is_numbered() => write!(f, "{}{}", file.prefix(), self.number),
            file => f.write_str(file.prefix()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "r31", "dj7", "wh11", "amlh8", "lr", "CORE_ID", "crSat", "srMS0", "cml4",
        ] {
            let register = Register::of_name(name).expect(name);
            assert_eq!(register.to_string(), name);
        }
        let generator = Register::of_name("d2_3d").expect("a register");
        assert_eq!(generator, Register::new(RegisterFile::Dim3, 2));
        assert_eq!(generator.to_string(), "d2");
        for name in ["r", "r01", "lr0", "zz1", "r_3d", "", "r999"] {
            assert_eq!(Register::of_name(name), None, "{name}");
        }
    }
}
