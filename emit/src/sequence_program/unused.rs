//! Computations whose value nothing uses, which compilers of functions would warn about.

use rustc_hash::FxHashSet;

use super::{Branch, Computation, Number, Statement, ValueId};

/// Removes them, and returns the values that are used.
pub(super) fn remove_unused(statements: &mut Vec<Statement>) -> FxHashSet<ValueId> {
    let mut used = UsedValues::default();
    used.statements(statements);
    used.0
}

#[derive(Default)]
struct UsedValues(FxHashSet<ValueId>);

impl UsedValues {
    fn number(&mut self, number: Number) {
        if let Number::Value(value) = number {
            self.0.insert(value);
        }
    }

    /// Goes from the last statement to the first: a value is used after it is computed, but for those that a loop carries, which stay.
    fn statements(&mut self, statements: &mut Vec<Statement>) {
        let mut kept = Vec::with_capacity(statements.len());
        while let Some(mut statement) = statements.pop() {
            if let Statement::Set(value, _) = statement
                && !self.0.contains(&value)
            {
                continue;
            }
            self.statement(&mut statement);
            kept.push(statement);
        }
        statements.extend(kept.into_iter().rev());
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Set(_, computation) => match *computation {
                Computation::Binary(_, a, b, _) | Computation::Compare(_, a, b, _) => {
                    self.number(a);
                    self.number(b);
                }
                Computation::Select(condition, yes, no) => {
                    [condition, yes, no]
                        .into_iter()
                        .for_each(|number| self.number(number));
                }
                Computation::Signed(n, ..) | Computation::Low(n, _) => self.number(n),
            },
            Statement::Append(words) => {
                let fields = words.iter().flat_map(|word| &word.fields);
                self.0.extend(fields.map(|field| field.value));
            }
            Statement::Require(condition, _) => self.number(*condition),
            Statement::Pop(..) => {}
            Statement::Push(_, id) => self.number(*id),
            Statement::For {
                from,
                until,
                step,
                carried,
                body,
                ..
            } => {
                self.branch(body);
                [*from, *until, *step]
                    .into_iter()
                    .for_each(|number| self.number(number));
                carried.iter().for_each(|(_, start)| self.number(*start));
            }
            Statement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.branch(then);
                self.branch(otherwise);
                self.number(*condition);
            }
        }
    }

    fn branch(&mut self, branch: &mut Branch) {
        branch.values.iter().for_each(|value| self.number(*value));
        self.statements(&mut branch.statements);
    }
}
