//! The instructions that selection uses, found in each architecture's table by their names in llvm-aie.

use aiec_core::{CoreArch, CoreIsa, OperandKind, PerArch, TextPart, immediate_range};
use smallvec::SmallVec;

/// Declares [`Row`] with the names for AIE2, AIE2P and AIE2PS.
macro_rules! rows {
    ($($row:ident $aie2:literal $aie2p:literal $aie2ps:literal)*) => {
        /// An instruction of selection.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Row {
            $(#[doc = concat!($aie2, " ", $aie2p)] $row,)*
        }

        /// Each row's names.
        const NAMES: &[(Row, [&str; 3])] = &[$((Row::$row, [$aie2, $aie2p, $aie2ps]),)*];
    };
}

rows! {
    // Arithmetic
    Add "ADD" "ADD_alu_r_rr" "ADD_alu_r_rr"
    AddImmediate "ADD_add_r_ri" "ADD_add_r_ri" "ADD_add_r_ri"
    AddWithCarry "ADC" "ADC" "ADC"
    Sub "SUB" "SUB" "SUB"
    SubWithBorrow "SBC" "SBC" "SBC"
    Mul "MUL_mul_r_rr" "MUL" "MUL"
    And "AND" "AND" "AND"
    Or "OR" "OR" "OR"
    Xor "XOR" "XOR" "XOR"
    ShiftLogical "LSHL" "LSHL" "LSHL"
    ShiftArithmetic "ASHL" "ASHL" "ASHL"
    CountLeadingZeros "CLZ" "CLZ" "CLZ"
    ExtendSigned8 "EXTENDs8" "EXTEND_s8" "EXTEND_s8"
    ExtendSigned16 "EXTENDs16" "EXTEND_s16" "EXTEND_s16"
    ExtendUnsigned8 "EXTENDu8" "EXTEND_u8" "EXTEND_u8"
    ExtendUnsigned16 "EXTENDu16" "EXTEND_u16" "EXTEND_u16"
    // Comparisons: 1 or 0
    Equal "EQ" "EQ" "EQ"
    NotEqual "NE" "NE" "NE"
    LessSigned "LT" "LT" "LT"
    LessUnsigned "LTU" "LTU" "LTU"
    GreaterEqualSigned "GE" "GE" "GE"
    GreaterEqualUnsigned "GEU" "GEU" "GEU"
    EqualZero "EQZ" "EQZ" "EQZ"
    NotEqualZero "NEZ" "NEZ" "NEZ"
    // The second operand if r27 is not 0, else the third
    Select "SELNEZ" "SEL_NEZ" "SEL_NEZ"
    // Constants
    MoveShort "MOVX_alu_cg" "MOVX_alu_cg" "MOVX_alu_cg_or"
    MoveLong "MOVXM_lng_cg" "MOVXM" "MOVXM_lng_cg"
    // Branches
    Jump "J_jump_imm" "J_lng" "J_lng"
    JumpNotZero "JNZ" "JNZ" "JNZ"
    JumpZero "JZ" "JZ" "JZ"
    Call "JL" "JL_lng" "JL_lng"
    Return "RET" "RET" "RET"
    Done "DONE" "DONE" "DONE"
    // Synchronisation
    Acquire "ACQ_mLockId_imm" "ACQ_mLockId_imm" "ACQ_mLockId_imm"
    Release "REL_mLockId_imm" "REL_mLockId_imm" "REL_mLockId_imm"
    StreamGet "MOV_mv_ss2scl" "MOV_lda" "MOV_lda"
    StreamPut "MOV_mv_scl2ms" "MOV_st_mMStream_tlast_imm" "MOV_st_mMStream_tlast_imm"
    StreamPutLast "MOV_TLAST_mv_scl2ms" "MOV_tlast" "MOV_tlast"
    CascadeGet "VMOV_mv_scd" "VMOV_lda_mv_scd_x" "VMOV_alu_mv_alu_mv_scd_x"
    CascadePut "VMOV_mv_mcd" "VMOV_st_mv_mcd_x" "VMOV_st_mv_mcd_x"
    // AIE2 has the number of the event in the instruction.
    Event "EVENT" "" ""
    Event0 "" "EVENT_event0" "EVENT_event0"
    Event1 "" "EVENT_event1" "EVENT_event1"
    EventWarning "" "EVENT_WARNING" "EVENT_WARNING"
    EventError "" "EVENT_ERROR" "EVENT_ERROR"
    // Loads
    Load32 "LDA_dms_lda_idx_imm" "LDA_dms_lda_idx_imm" "LDA_dms_lda_scalar_ld_idx_imm"
    LoadSigned8 "LDA_S8_ag_idx_imm" "LDA_s8_idx_imm" "LDA_s8_idx_imm"
    LoadUnsigned8 "LDA_U8_ag_idx_imm" "LDA_u8_idx_imm" "LDA_u8_idx_imm"
    LoadSigned16 "LDA_S16_ag_idx_imm" "LDA_s16_idx_imm" "LDA_s16_idx_imm"
    LoadUnsigned16 "LDA_U16_ag_idx_imm" "LDA_u16_idx_imm" "LDA_u16_idx_imm"
    Load32Indexed "LDA_dms_lda_idx" "LDA_dms_lda_idx" "LDA_dms_lda_scalar_ld_idx"
    LoadSigned8Indexed "LDA_S8_ag_idx" "LDA_s8_idx" "LDA_s8_idx"
    LoadUnsigned8Indexed "LDA_U8_ag_idx" "LDA_u8_idx" "LDA_u8_idx"
    LoadSigned16Indexed "LDA_S16_ag_idx" "LDA_s16_idx" "LDA_s16_idx"
    LoadUnsigned16Indexed "LDA_U16_ag_idx" "LDA_u16_idx" "LDA_u16_idx"
    Load32Post "LDA_dms_lda_pstm_nrm_imm" "LDA_dms_lda_pstm_nrm_imm" "LDA_dms_lda_scalar_ld_pstm_nrm_imm"
    LoadSigned8Post "LDA_S8_ag_pstm_nrm_imm" "LDA_s8_pstm_nrm_imm" "LDA_s8_pstm_nrm_imm"
    LoadUnsigned8Post "LDA_U8_ag_pstm_nrm_imm" "LDA_u8_pstm_nrm_imm" "LDA_u8_pstm_nrm_imm"
    LoadSigned16Post "LDA_S16_ag_pstm_nrm_imm" "LDA_s16_pstm_nrm_imm" "LDA_s16_pstm_nrm_imm"
    LoadUnsigned16Post "LDA_U16_ag_pstm_nrm_imm" "LDA_u16_pstm_nrm_imm" "LDA_u16_pstm_nrm_imm"
    // Stores
    Store32 "ST_dms_sts_idx_imm" "ST_dms_sts_idx_imm" "ST_dms_sts_scalar_st_idx_imm"
    Store8 "ST_S8_ag_idx_imm" "ST_s8_idx_imm" "ST_s8_idx_imm"
    Store16 "ST_S16_ag_idx_imm" "ST_s16_idx_imm" "ST_s16_idx_imm"
    Store32Indexed "ST_dms_sts_idx" "ST_dms_sts_idx" "ST_dms_sts_scalar_st_idx"
    Store8Indexed "ST_S8_ag_idx" "ST_s8_idx" "ST_s8_idx"
    Store16Indexed "ST_S16_ag_idx" "ST_s16_idx" "ST_s16_idx"
    Store32Post "ST_dms_sts_pstm_nrm_imm" "ST_dms_sts_pstm_nrm_imm" "ST_dms_sts_scalar_st_pstm_nrm_imm"
    Store8Post "ST_S8_ag_pstm_nrm_imm" "ST_s8_pstm_nrm_imm" "ST_s8_pstm_nrm_imm"
    Store16Post "ST_S16_ag_pstm_nrm_imm" "ST_s16_pstm_nrm_imm" "ST_s16_pstm_nrm_imm"
    // Pointers: by an immediate, by a modifier register
    MovePointer "PADDA_lda_ptr_inc_idx_imm" "PADDA_pstm_nrm_imm" "PADDA_pstm_nrm_imm"
    MovePointerBy "PADDA_lda_ptr_inc_idx" "PADDA_pstm_nrm" "PADDA_pstm_nrm"
    // Vectors: halves, for those that come from and go to the cascade
    LoadHalf "VLDA_dmw_lda_w_ag_idx_imm" "VLDA_dmw_lda_w_idx_imm" "VLDA_dmw_lda_w_ld_idx_imm"
    StoreHalf "VST_dmw_sts_w_ag_idx_imm" "VST_dmw_sts_w_idx_imm" "VST_dmw_sts_w_st_idx_imm"
    // Vectors in registers
    LoadWhole "" "VLDA_dmx_lda_x_idx_imm" "VLDA_dmx_lda_x_ld_idx_imm"
    StoreWhole "" "VST_dmx_sts_x_idx_imm" "VST_dmx_sts_x_st_idx_imm"
    VectorAdd8 "VADD_8" "VADD_8" "VADD_8"
    VectorAdd16 "VADD_16" "VADD_16" "VADD_16"
    VectorAdd32 "VADD_32" "VADD_32" "VADD_32"
    VectorSub8 "VSUB_8" "VSUB_8" "VSUB_8"
    VectorSub16 "VSUB_16" "VSUB_16" "VSUB_16"
    VectorSub32 "VSUB_32" "VSUB_32" "VSUB_32"
    VectorAnd "VBAND" "VBAND" "VBAND"
    VectorOr "VBOR" "VBOR" "VBOR"
    // The greater or the lesser in each lane, and a mask of which that is
    VectorMax8 "VMAX_LT_S8" "VMAX_LT_8_vaddSign1" "VMAX_LT_8_vaddSign1"
    VectorMax16 "VMAX_LT_S16" "VMAX_LT_16_vaddSign1" "VMAX_LT_16_vaddSign1"
    VectorMax32 "VMAX_LT_S32" "VMAX_LT_32_vaddSign1" "VMAX_LT_32_vaddSign1"
    VectorMin8 "VMIN_GE_S8" "VMIN_GE_8_vaddSign1" "VMIN_GE_8_vaddSign1"
    VectorMin16 "VMIN_GE_S16" "VMIN_GE_16_vaddSign1" "VMIN_GE_16_vaddSign1"
    VectorMin32 "VMIN_GE_S32" "VMIN_GE_32_vaddSign1" "VMIN_GE_32_vaddSign1"
    VectorSplat8 "VBCST_8" "VBCST_8" "VBCST_8"
    VectorSplat16 "VBCST_16" "VBCST_16" "VBCST_16"
    VectorSplat32 "VBCST_32" "VBCST_32" "VBCST_32"
    VectorShuffle "VSHUFFLE" "VSHUFFLE_vec_shuffle_x" "VSHUFFLE_vec_shuffle_x"
    // An element of 128 bits in all places; one of 64 bits in all of them, and that shuffled by the mode in r29
    VectorBroadcast128 "" "VEXTBCST_128_vec_extract_broadcast_imm" ""
    VectorBroadcastShuffled64 "" "VEXTBCSTSHFL_64" ""
    // Bytes of two vectors from one on
    VectorShift "VSHIFT" "VSHIFT" "VSHIFT"
    // Products of lanes or of matrices into an accumulator; AIE2 makes vectors of its lanes by one instruction
    VectorProduct "VMUL_vmac_cm_core_dense" "VMUL_vmul_cm_core_X_X" "VMUL_vmul_vmul_cm_core_X_X"
    VectorProductAdd "VMAC_vmac_cm_core_dense" "VMAC_vmul_cm_core_X_X" "VMAC_vmac_vmul_cm_core_X_X"
    MatrixAddFloat "VMAC_F_vmac_bm_core_dense" "" "VMAC_f_vmac_bf_half_vmul_bf_core_X_Y"
    // Products of matrices whose rows, and columns of the second one, are blocks of 8 numbers with one exponent; f32 as such blocks
    BlockProduct "" "VMUL_f_vmul_bfp_vmul_bfp_core_EX_EX" ""
    BlockProductAdd "" "VMAC_f_vmac_bfp_vmul_bfp_core_EX_EX" ""
    FloatsToBlocks "" "VCONV_bfp16ebs8_fp32" ""
    // Between f32 in accumulators and bf16, 16 or 32 lanes
    FloatNarrow "VCONV_BF16_FP32" "VCONV_bf16_fp32_mv_w_srs_bf" "VCONV_bf16_fp32_mv_conv_mv_w_srs_bf16"
    FloatNarrowWhole "" "VCONV_bf16_fp32_mv_x_srs_bf" "VCONV_bf16_fp32_mv_conv_mv_x_srs_bf16"
    FloatWiden "VCONV_FP32_BF16" "VCONV_fp32_bf16_mv_ups_wbf" "VCONV_fp32_bf16_mv_mv_w_ups_bf16"
    FloatWidenWhole "" "VCONV_fp32_bf16_mv_ups_xbf" "VCONV_fp32_bf16_mv_mv_x_ups_f16"
    LoadWidened "VLDA_CONV_FP32_BF16_ag_idx_imm" "VLDA_CONV_fp32_bf16_dmw_lda_ups_bf_idx_imm" "VLDA_CONV_fp32_bf16_dmw_lda_ups_bf16_idx_imm"
    LoadWidenedWhole "" "VLDA_CONV_fp32_bf16_dmx_lda_ups_bf_idx_imm" "VLDA_CONV_fp32_bf16_dmx_lda_ups_f16_idx_imm"
    StoreNarrowed "VST_CONV_BF16_FP32_ag_idx_imm" "VST_CONV_bf16_fp32_dmw_sts_srs_bf_idx_imm" "VST_CONV_bf16_fp32_dmw_sts_srs_bf16_idx_imm"
    StoreNarrowedWhole "" "VST_CONV_bf16_fp32_dmx_sts_srs_bf_idx_imm" "VST_CONV_bf16_fp32_dmx_sts_srs_bf16_idx_imm"
    // f32 in accumulators, and products of bf16 lane by lane
    FloatAdd "VADD_F" "VADD_f_vmac_cm2_add_reg" "VADD_f_vacc_half_fp"
    FloatSub "VSUB_F" "VSUB_f_vmac_cm2_add_reg" "VSUB_f_vacc_half_fp"
    FloatProduct "VMUL_F_vmac_bm_core_dense" "VMUL_f_vmul_bf_vmul_bf_core_X_X" "VMUL_f_vmul_bf_half_vmul_bf_half_core_X_X"
    FloatProductOfPairs "" "VMUL_f_vmul_bf_vmul_bf_core_Y_Y" ""
    FloatProductAdd "VMAC_F_vmac_bm_core_dense" "VMAC_f_vmac_bf_vmul_bf_core_X_X" "VMAC_f_vmac_bf_half_vmul_bf_half_core_X_X"
    FloatProductSub "VMSC_F_vmac_bm_core_dense" "VMSC_f_vmac_bf_vmul_bf_core_X_X" "VMSC_f_vmac_bf_half_vmul_bf_half_core_X_X"
    // bf16: the greater or the lesser, a mask of comparisons (false with a NaN), and a choice by a mask
    VectorMaxBf16 "VMAX_LT_BF16" "VMAX_LT_bf16" "VMAX_LT_bf16"
    VectorMinBf16 "VMIN_GE_BF16" "VMIN_GE_bf16" "VMIN_GE_bf16"
    VectorAtLeastBf16 "VGE_BF16" "VGE_bf16" "VGE_bf16"
    VectorSelect16 "VSEL_16" "VSEL_16" "VSEL_16"
    LoadSums "VLDA_dmw_lda_am_ag_idx_imm" "VLDA_dmx_lda_bm_idx_imm" "VLDA_dmx_lda_bm_ld_idx_imm"
    StoreSums "VST_dmw_sts_am_ag_idx_imm" "VST_dmx_sts_bm_idx_imm" "VST_dmx_sts_bm_st_idx_imm"
    // Lanes of 16 or 32 bits from the sums of their products; on AIE2P those have 64 bits
    VectorOfSums16 "VSRS_S16_S32_mv_x_srs" "VSRS_4x_mv_x_srs_dm_srsSign0" ""
    VectorOfSums32 "VSRS_S32_S64_mv_x_srs" "VSRS_2x_mv_x_srs_cm_srsSign0" ""
    // The same between memory and half accumulators: lanes of 32 bits and sums of 64, lanes of 16 bits and sums of 32
    LoadSumsOf32 "VLDA_UPS_S64_S32_ag_idx_imm" "" ""
    StoreOfSums32 "VST_SRS_S32_S64_ag_idx_imm" "" ""
    StoreOfSums16 "VST_SRS_S16_S32_ag_idx_imm" "" ""
}

/// An instruction in the table of an architecture.
#[derive(Clone, Debug)]
pub(crate) struct FoundRow {
    /// Its index in [`CoreIsa::instructions`].
    pub index: u16,
    /// For each operand in the order of the text, its place among the instruction's operands.
    pub places: SmallVec<[u8; 5]>,
}

/// The rows of an architecture.
pub(crate) struct Rows {
    found: Vec<Option<FoundRow>>,
    isa: &'static CoreIsa,
}

static ROWS: PerArch<Rows> = PerArch::new();

impl Rows {
    pub(crate) fn of(arch: CoreArch) -> &'static Rows {
        ROWS.of(arch, Rows::find)
    }

    fn find(arch: CoreArch) -> Rows {
        let isa = CoreIsa::of(arch);
        let find = |name: &str| {
            let mut rows = isa.instructions.iter();
            let index = rows.position(|row| row.name == name)?;
            let mut places: SmallVec<[u8; 5]> = SmallVec::new();
            for part in &isa.instructions[index].text {
                if let TextPart::Operand(place) = part
                    && !places.contains(place)
                {
                    places.push(*place);
                }
            }
            Some(FoundRow {
                index: index as u16,
                places,
            })
        };
        let found = NAMES.iter().map(|(_, names)| find(names[arch as usize]));
        Rows {
            found: found.collect(),
            isa,
        }
    }

    /// A row; `None` if the architecture has no such instruction.
    pub(crate) fn get(&self, row: Row) -> Option<&FoundRow> {
        self.found[row as usize].as_ref()
    }

    /// Number of a row's operands.
    pub(crate) fn operands(&self, row: Row) -> usize {
        self.get(row).map_or(0, |found| found.places.len())
    }

    /// Whether an operand, by its place in the text, can be this number.
    pub(crate) fn fits(&self, row: Row, operand: usize, value: i64) -> bool {
        let Some(found) = self.get(row) else {
            return false;
        };
        let place = found.places.get(operand).copied().unwrap_or(u8::MAX);
        let fields = &self.isa.instructions[usize::from(found.index)].operands;
        match fields
            .get(usize::from(place))
            .map(|field| (field, field.kind))
        {
            Some((field, OperandKind::Immediate { sign, scale, .. })) => {
                let (least, greatest, step) = immediate_range(sign, scale, field.width());
                (least..=greatest).contains(&value) && value % step == 0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_in_its_table() {
        for arch in CoreArch::ALL {
            let rows = Rows::of(arch);
            for (row, names) in NAMES {
                let name = names[arch as usize];
                assert_eq!(rows.get(*row).is_some(), !name.is_empty(), "{arch}: {name}");
            }
        }
    }
}
