//! Targets that `--core` binds cores to, as the command line writes them.

use std::path::PathBuf;

/// Instead of a core: all of the device.
pub const ALL: &str = "all";

/// Target of a core on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreTarget {
    /// Nothing: the core ends when it begins.
    Stub,
    /// A function of a library.
    Function(PathBuf, String),
}

/// `CORE=stub` or `CORE=LIB.so:FUNCTION`.
pub fn parse(text: &str) -> Result<(String, CoreTarget), String> {
    let form =
        "expected CORE=stub or CORE=LIB.so:FUNCTION, CORE being (COLUMN,ROW), a name or `all`";
    let (core, target) = text.split_once('=').ok_or(form)?;
    let target = match target.rsplit_once(':') {
        None if target == "stub" => CoreTarget::Stub,
        Some((path, name)) if !path.is_empty() && !name.is_empty() => {
            CoreTarget::Function(PathBuf::from(path), name.to_string())
        }
        _ => return Err(form.to_string()),
    };
    match core {
        "" => Err(form.to_string()),
        core => Ok((core.to_string(), target)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_stubs_or_functions() {
        let (core, target) = parse("(0,2)=lib/a:b.so:run").unwrap();
        assert_eq!(core, "(0,2)");
        let expected = CoreTarget::Function("lib/a:b.so".into(), "run".into());
        assert_eq!(target, expected);
        assert_eq!(parse("all=stub"), Ok(("all".into(), CoreTarget::Stub)));
        for bad in [
            "(0,2)",
            "(0,2)=",
            "(0,2)=lib.so",
            "=stub",
            "a=:f",
            "a=lib.so:",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
