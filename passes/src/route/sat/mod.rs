//! A small solver for satisfiability: clause learning with two watched literals, variables chosen
//! by activity, saved phases, Luby restarts, and assumptions with a core.
//!
//! After *MiniSat* (Eén and Sörensson, "An Extensible SAT-solver", SAT 2003). It counts conflicts,
//! not time, and breaks ties by number, so that an answer is the same on every machine.

mod heap;
#[cfg(test)]
mod tests;

use heap::Heap;

/// A variable (by number) or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Lit(u32);

impl Lit {
    /// The literal of a variable that holds if the variable is true.
    fn of(var: u32) -> Lit {
        Lit(var << 1)
    }

    fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn index(self) -> usize {
        self.0 as usize
    }

    fn positive(self) -> bool {
        self.0 & 1 == 0
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Outcome of a call of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is a solution; see [`Solver::holds`].
    Solved,
    /// No solution: these assumptions alone exclude it.
    Impossible(Vec<Lit>),
    /// The conflicts are used up.
    Unknown,
}

/// No clause.
const NO_REASON: u32 = u32::MAX;
/// Conflicts between restarts, times a term of the Luby sequence.
const RESTART_UNIT: u64 = 64;
/// Factor by which a variable gains more from each conflict than from the one before.
const ACTIVITY_GROWTH: f64 = 1.0 / 0.95;
/// Activities are scaled down beyond this.
const ACTIVITY_LIMIT: f64 = 1e100;
/// Learnt clauses before the first reduction, and how many more before each further one.
const FIRST_REDUCTION: usize = 4000;
const REDUCTION_STEP: usize = 1000;
/// Learnt clauses that join so few levels are kept for good.
const KEPT_LEVELS: u32 = 2;

struct Clause {
    lits: Vec<Lit>,
    /// Decision levels among its literals when it was learnt; 0 for a given clause.
    levels: u32,
}

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// A literal of the clause: if it is true the clause needn't be looked at.
    other: Lit,
}

/// The solver.
#[derive(Default)]
pub(crate) struct Solver {
    clauses: Vec<Clause>,
    /// By literal: clauses to look at when it becomes true, as they watch its negation.
    watches: Vec<Vec<Watch>>,
    /// By literal: true, false or open.
    values: Vec<Option<bool>>,
    /// By variable.
    phases: Vec<bool>,
    levels: Vec<u32>,
    reasons: Vec<u32>,
    activity: Vec<f64>,
    seen: Vec<bool>,
    solution: Vec<bool>,
    heap: Heap,
    step: f64,
    trail: Vec<Lit>,
    /// Length of the trail before each decision.
    decisions: Vec<usize>,
    looked_at: usize,
    learnt: usize,
    reductions: usize,
    /// A contradiction without assumptions.
    broken: bool,
    /// Conflicts met so far, in all calls.
    pub conflicts: u64,
}

impl Solver {
    /// Nothing said.
    pub fn new() -> Solver {
        Solver {
            step: 1.0,
            ..Solver::default()
        }
    }

    /// A new variable.
    pub fn variable(&mut self) -> Lit {
        let var = self.phases.len();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([None, None]);
        self.phases.push(false);
        self.levels.push(0);
        self.reasons.push(NO_REASON);
        self.activity.push(0.0);
        self.seen.push(false);
        self.solution.push(false);
        self.heap.add(var, &self.activity);
        Lit::of(var as u32)
    }

    /// Makes the solver try a literal before its negation, as long as nothing else is known.
    pub fn prefer(&mut self, lit: Lit) {
        self.phases[lit.var()] = lit.positive();
    }

    /// Whether a literal holds in the last solution.
    pub fn holds(&self, lit: Lit) -> bool {
        self.solution[lit.var()] == lit.positive()
    }

    /// Says that one of some literals holds.
    pub fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.back_to(0);
        let mut lits: Vec<Lit> = lits.into_iter().collect();
        lits.sort_unstable();
        lits.dedup();
        let twice = lits.windows(2).any(|pair| pair[0] == !pair[1]);
        let known = lits.iter().any(|lit| self.value(*lit) == Some(true));
        if self.broken || twice || known {
            return;
        }
        lits.retain(|lit| self.value(*lit).is_none());
        match lits[..] {
            [] => self.broken = true,
            [only] => {
                self.assign(only, NO_REASON);
                self.broken = self.propagate().is_some();
            }
            _ => _ = self.attach(Clause { lits, levels: 0 }),
        }
    }

    /// Says that at most `most` of some literals hold.
    pub fn at_most(&mut self, most: usize, lits: &[Lit]) {
        self.count(None, most, lits);
    }

    /// Says that at most `most` of some literals hold if the condition does.
    pub fn at_most_if(&mut self, condition: Lit, most: usize, lits: &[Lit]) {
        self.count(Some(condition), most, lits);
    }

    /// A sequential counter (Sinz, "Towards an Optimal CNF Encoding of Boolean Cardinality
    /// Constraints", CP 2005).
    fn count(&mut self, condition: Option<Lit>, most: usize, lits: &[Lit]) {
        let unless = condition.map(|lit| !lit);
        if lits.len() <= most {
            return;
        }
        // above[k]: more than k of those up to here hold
        let mut above: Vec<Lit> = Vec::new();
        for (at, lit) in lits.iter().enumerate() {
            let one_too_many = match most.checked_sub(1) {
                None => Some(None),
                Some(last) => above.get(last).map(|all| Some(!*all)),
            };
            if let Some(all) = one_too_many {
                self.clause([!*lit].into_iter().chain(all).chain(unless));
            }
            if at + 1 == lits.len() {
                break;
            }
            let mut here = Vec::new();
            for k in 0..most.min(at + 1) {
                let more = self.variable();
                if let Some(before) = above.get(k) {
                    self.clause([!*before, more]);
                }
                match k.checked_sub(1) {
                    None => self.clause([!*lit, more]),
                    Some(below) => self.clause([!*lit, !above[below], more]),
                }
                here.push(more);
            }
            above = here;
        }
    }

    /// Looks for a solution in which the assumptions hold, within a limit of conflicts.
    pub fn solve(&mut self, assumptions: &[Lit], mut conflicts: u64) -> Answer {
        self.back_to(0);
        if self.broken {
            return Answer::Impossible(Vec::new());
        }
        let mut round = 0;
        loop {
            let limit = (luby(round) * RESTART_UNIT).min(conflicts);
            if let Some(answer) = self.search(assumptions, limit) {
                self.back_to(0);
                return answer;
            }
            self.back_to(0);
            conflicts -= limit;
            if conflicts == 0 {
                return Answer::Unknown;
            }
            self.reduce();
            round += 1;
        }
    }

    /// Searches until there is an answer or the limit of conflicts is reached.
    fn search(&mut self, assumptions: &[Lit], limit: u64) -> Option<Answer> {
        let mut conflicts = 0;
        loop {
            if let Some(clause) = self.propagate() {
                if self.decisions.is_empty() {
                    self.broken = true;
                    return Some(Answer::Impossible(Vec::new()));
                }
                let (lits, level) = self.analyse(clause);
                self.back_to(level);
                self.learn(lits);
                self.step *= ACTIVITY_GROWTH;
                conflicts += 1;
                self.conflicts += 1;
                if conflicts >= limit {
                    return None;
                }
                continue;
            }
            let next = match assumptions.get(self.decisions.len()) {
                Some(lit) => match self.value(*lit) {
                    Some(false) => return Some(Answer::Impossible(self.core(*lit))),
                    Some(true) => {
                        self.decisions.push(self.trail.len());
                        continue;
                    }
                    None => *lit,
                },
                None => match self.choose() {
                    Some(lit) => lit,
                    None => {
                        for var in 0..self.solution.len() {
                            self.solution[var] = self.values[var << 1] == Some(true);
                        }
                        return Some(Answer::Solved);
                    }
                },
            };
            self.decisions.push(self.trail.len());
            self.assign(next, NO_REASON);
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.values[lit.index()]
    }

    fn choose(&mut self) -> Option<Lit> {
        while let Some(var) = self.heap.pop(&self.activity) {
            if self.values[var << 1].is_none() {
                let lit = Lit::of(var as u32);
                return Some(if self.phases[var] { lit } else { !lit });
            }
        }
        None
    }

    fn assign(&mut self, lit: Lit, reason: u32) {
        self.values[lit.index()] = Some(true);
        self.values[(!lit).index()] = Some(false);
        self.phases[lit.var()] = lit.positive();
        self.levels[lit.var()] = self.decisions.len() as u32;
        self.reasons[lit.var()] = reason;
        self.trail.push(lit);
    }

    fn attach(&mut self, clause: Clause) -> u32 {
        let number = self.clauses.len() as u32;
        for (own, other) in [(0, 1), (1, 0)] {
            let other = clause.lits[other];
            self.watches[(!clause.lits[own]).index()].push(Watch {
                clause: number,
                other,
            });
        }
        self.clauses.push(clause);
        number
    }

    /// Draws all conclusions; returns a clause that is violated.
    fn propagate(&mut self) -> Option<u32> {
        while let Some(lit) = self.trail.get(self.looked_at).copied() {
            self.looked_at += 1;
            let mut list = std::mem::take(&mut self.watches[lit.index()]);
            let mut kept = 0;
            let mut conflict = None;
            for at in 0..list.len() {
                let watch = list[at];
                if conflict.is_some() || self.value(watch.other) == Some(true) {
                    list[kept] = watch;
                    kept += 1;
                    continue;
                }
                match self.visit(watch.clause, !lit) {
                    Visit::Moved => {}
                    Visit::Stays(other) => {
                        list[kept] = Watch { other, ..watch };
                        kept += 1;
                        match self.value(other) {
                            Some(true) => {}
                            Some(false) => conflict = Some(watch.clause),
                            None => self.assign(other, watch.clause),
                        }
                    }
                }
            }
            list.truncate(kept);
            self.watches[lit.index()] = list;
            if conflict.is_some() {
                self.looked_at = self.trail.len();
                return conflict;
            }
        }
        None
    }

    /// Looks for another literal to watch than a false one.
    fn visit(&mut self, number: u32, gone: Lit) -> Visit {
        let lits = &mut self.clauses[number as usize].lits;
        if lits[0] == gone {
            lits.swap(0, 1);
        }
        let first = lits[0];
        if self.values[first.index()] != Some(true) {
            for at in 2..lits.len() {
                if self.values[lits[at].index()] != Some(false) {
                    lits.swap(1, at);
                    let now = lits[1];
                    self.watches[(!now).index()].push(Watch {
                        clause: number,
                        other: first,
                    });
                    return Visit::Moved;
                }
            }
        }
        Visit::Stays(first)
    }

    /// The clause that a conflict teaches, its own conclusion first, and the level to go back to.
    fn analyse(&mut self, conflict: u32) -> (Vec<Lit>, usize) {
        let here = self.decisions.len() as u32;
        let mut lits = vec![Lit(0)];
        let mut open = 0;
        let mut clause = conflict;
        let mut at = self.trail.len();
        let asserted = loop {
            let from = usize::from(clause != conflict);
            for n in from..self.clauses[clause as usize].lits.len() {
                let lit = self.clauses[clause as usize].lits[n];
                let var = lit.var();
                if self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                self.bump(var);
                if self.levels[var] == here {
                    open += 1
                } else {
                    lits.push(lit)
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].var()] {
                    break;
                }
            }
            let lit = self.trail[at];
            self.seen[lit.var()] = false;
            open -= 1;
            if open == 0 {
                break !lit;
            }
            clause = self.reasons[lit.var()];
        };
        lits[0] = asserted;
        let all = lits.clone();
        // A literal whose reason lies within the clause adds nothing.
        let needed = |lit: &Lit| {
            let reason = self.reasons[lit.var()];
            reason == NO_REASON
                || self.clauses[reason as usize].lits[1..]
                    .iter()
                    .any(|l| !self.seen[l.var()] && self.levels[l.var()] > 0)
        };
        let mut short: Vec<Lit> = vec![asserted];
        short.extend(lits[1..].iter().copied().filter(needed));
        for lit in all {
            self.seen[lit.var()] = false;
        }
        let levels = |lit: &Lit| self.levels[lit.var()];
        let deepest = (1..short.len()).max_by_key(|n| (levels(&short[*n]), short.len() - n));
        let level = match deepest {
            Some(n) => {
                short.swap(1, n);
                self.levels[short[1].var()] as usize
            }
            None => 0,
        };
        (short, level)
    }

    fn learn(&mut self, lits: Vec<Lit>) {
        let first = lits[0];
        if lits.len() == 1 {
            self.assign(first, NO_REASON);
            return;
        }
        let mut levels: Vec<u32> = lits.iter().map(|lit| self.levels[lit.var()]).collect();
        levels.sort_unstable();
        levels.dedup();
        let levels = (levels.len() as u32).max(1);
        let number = self.attach(Clause { lits, levels });
        self.learnt += 1;
        self.assign(first, number);
    }

    fn bump(&mut self, var: usize) {
        self.activity[var] += self.step;
        if self.activity[var] > ACTIVITY_LIMIT {
            self.activity.iter_mut().for_each(|a| *a /= ACTIVITY_LIMIT);
            self.step /= ACTIVITY_LIMIT;
        }
        self.heap.risen(var, &self.activity);
    }

    fn back_to(&mut self, level: usize) {
        if self.decisions.len() <= level {
            return;
        }
        let length = self.decisions[level];
        self.decisions.truncate(level);
        for lit in self.trail.drain(length..) {
            self.values[lit.index()] = None;
            self.values[(!lit).index()] = None;
            self.heap.add(lit.var(), &self.activity);
        }
        self.looked_at = length;
    }

    /// The assumptions that make one of them false, that one included.
    fn core(&mut self, refused: Lit) -> Vec<Lit> {
        let mut core = vec![refused];
        let mut seen = vec![false; self.seen.len()];
        seen[refused.var()] = true;
        for lit in self.trail.iter().rev() {
            if !seen[lit.var()] || self.levels[lit.var()] == 0 {
                continue;
            }
            match self.reasons[lit.var()] {
                // all decisions so far are assumptions
                NO_REASON => core.push(*lit),
                reason => {
                    for cause in &self.clauses[reason as usize].lits[1..] {
                        seen[cause.var()] = true;
                    }
                }
            }
        }
        core.sort_unstable();
        core.dedup();
        core
    }

    /// Forgets half of the learnt clauses when there are many: those that join the most levels.
    fn reduce(&mut self) {
        if self.learnt < FIRST_REDUCTION + REDUCTION_STEP * self.reductions {
            return;
        }
        self.reductions += 1;
        // At level 0 no reason is looked at any more, so clauses can go and get new numbers.
        let mut ranks: Vec<(u32, usize)> = self
            .clauses
            .iter()
            .filter(|clause| clause.levels > KEPT_LEVELS)
            .map(|clause| (clause.levels, clause.lits.len()))
            .collect();
        ranks.sort_unstable();
        let Some(middle) = ranks.get(ranks.len() / 2).copied() else {
            return;
        };
        let clauses = std::mem::take(&mut self.clauses);
        self.watches.iter_mut().for_each(Vec::clear);
        self.learnt = 0;
        for mut clause in clauses {
            let rank = (clause.levels, clause.lits.len());
            if clause.levels > KEPT_LEVELS && rank >= middle {
                continue;
            }
            if clause.lits.iter().any(|lit| self.value(*lit) == Some(true)) {
                continue;
            }
            clause
                .lits
                .retain(|lit| self.values[lit.index()] != Some(false));
            self.learnt += usize::from(clause.levels > 0);
            self.attach(clause);
        }
        self.reasons.fill(NO_REASON);
    }
}

enum Visit {
    /// The clause watches another literal now.
    Moved,
    /// It doesn't; all but this literal are false.
    Stays(Lit),
}

/// The Luby sequence 1, 1, 2, 1, 1, 2, 4, …
fn luby(mut at: u64) -> u64 {
    let mut size = 1;
    while size < at + 1 {
        size = 2 * size + 1;
    }
    while size - 1 != at {
        size /= 2;
        at %= size;
    }
    size.div_ceil(2)
}
