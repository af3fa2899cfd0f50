//! Names of the version before this one, which people still write.

/// Instructions of version 1 and their present names.
const OLD_NAMES: &[(&str, &str)] = &[
    ("SRAM_R", "SRAM rw=r"),
    ("SRAM_W", "SRAM rw=w"),
    ("SRAM_READ", "SRAM rw=r"),
    ("SRAM_WRITE", "SRAM rw=w"),
    ("SRAMREAD", "SRAM rw=r"),
    ("SRAMWRITE", "SRAM rw=w"),
    ("DELAY", "WAIT"),
    ("REFI1", "REFI"),
    ("REFI2", "REFI with extra=1"),
    ("REFI3", "REFI with extra=2"),
    ("LOOP_HEADER", "LOOP"),
    ("LOOP_TAIL", "LOOP with endpc"),
    ("FOR_HEADER", "LOOP"),
    ("FOR_TAIL", "LOOP with endpc"),
    ("RACCU_OP", "RACCU"),
    ("BRANCH_OP", "BRANCH"),
];

/// Today's name of an instruction of version 1.
pub fn today(old: &str) -> Option<&'static str> {
    let mut names = OLD_NAMES.iter();
    let found = names.find(|(name, _)| name.eq_ignore_ascii_case(old))?;
    Some(found.1)
}
