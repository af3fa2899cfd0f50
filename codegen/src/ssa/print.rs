//! The form as text, for tests.

use std::fmt::{self, Display, Formatter};

use super::{Action, Function, Step, Target, Terminator, Value};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

fn list(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    for (at, value) in values.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        write!(f, "{comma}{value}")?;
    }
    Ok(())
}

impl Display for Target {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "b{}(", self.block.0)?;
        list(f, &self.args)?;
        f.write_str(")")
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        list(f, &self.results)?;
        if !self.results.is_empty() {
            f.write_str(" = ")?;
        }
        match &self.action {
            Action::Const(bits) => write!(f, "{}", *bits as i64)?,
            Action::Pure { op, number } => write!(f, "{}.{number} ", op.mnemonic())?,
            action => write!(f, "{action:?} ")?,
        }
        list(f, &self.args)
    }
}

impl Display for Terminator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Terminator::Jump(target) => write!(f, "jump {target}"),
            Terminator::Branch { op, args, targets } => {
                write!(f, "if {} ", op.mnemonic())?;
                list(f, args)?;
                write!(f, ": {} else {}", targets[0], targets[1])
            }
            Terminator::Return { scalars, vectors } => {
                f.write_str("return ")?;
                list(f, scalars)?;
                vectors
                    .iter()
                    .try_for_each(|vector| write!(f, " x{}", vector.0))
            }
            Terminator::End => f.write_str("end"),
            Terminator::Trap => f.write_str("trap"),
        }
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (block, data) in self.numbered_blocks() {
            write!(f, "b{}(", block.0)?;
            if block.0 == 0 {
                list(f, &self.arguments)?;
            }
            list(f, &data.params)?;
            f.write_str("):\n")?;
            for step in &data.steps {
                writeln!(f, "  {step}")?;
            }
            writeln!(f, "  {}", data.terminator)?;
        }
        Ok(())
    }
}
