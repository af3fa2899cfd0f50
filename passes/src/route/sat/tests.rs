//! The solver against trying everything, and against another solver.

use batsat::{BasicSolver, SolverInterface, lbool};

use super::*;

/// A small generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn satisfied(clauses: &[Vec<Lit>], bits: u32) -> bool {
    let holds = |lit: &Lit| (bits >> lit.var() & 1 == 1) == lit.positive();
    clauses.iter().all(|clause| clause.iter().any(holds))
}

/// Against trying all assignments, with clauses added between calls and with assumptions.
#[test]
fn agrees_with_trying_everything() {
    let mut random = Random(7);
    let (mut solved, mut refuted) = (0, 0);
    for round in 0..400 {
        let count = 4 + random.below(9);
        let mut solver = Solver::new();
        let vars: Vec<Lit> = (0..count).map(|_| solver.variable()).collect();
        let mut clauses = Vec::new();
        for _ in 0..3 {
            for _ in 0..count * (4 + round % 3) / 3 {
                let mut lit = || {
                    let lit = vars[random.below(count) as usize];
                    if random.below(2) == 0 { lit } else { !lit }
                };
                let clause = vec![lit(), lit(), lit()];
                solver.clause(clause.iter().copied());
                clauses.push(clause);
            }
            let assumptions = [vars[0], !vars[1]];
            let with = |extra: &[Lit]| {
                let mut all = clauses.clone();
                all.extend(extra.iter().map(|lit| vec![*lit]));
                (0..1 << count).any(|bits| satisfied(&all, bits))
            };
            match solver.solve(&assumptions, u64::MAX) {
                Answer::Solved => {
                    solved += 1;
                    assert!(assumptions.iter().all(|lit| solver.holds(*lit)));
                    let bits = vars.iter().filter(|v| solver.holds(**v));
                    let bits = bits.fold(0, |bits, v| bits | 1 << v.var());
                    assert!(satisfied(&clauses, bits));
                }
                Answer::Impossible(core) => {
                    refuted += 1;
                    assert!(core.iter().all(|lit| assumptions.contains(lit)));
                    assert!(!with(&core));
                }
                Answer::Unknown => unreachable!("no limit"),
            }
        }
    }
    assert!(solved > 100 && refuted > 100, "{solved} {refuted}");
}

/// Against batsat, on random problems of 20 to 120 variables around the ratio of clauses to
/// variables where about half of them have a solution (4.26 for three literals; Mitchell, Selman
/// and Levesque, "Hard and Easy Distributions of SAT Problems", AAAI 1992), under assumptions too.
#[test]
fn agrees_with_batsat() {
    let mut random = Random(11);
    let (mut solved, mut refuted) = (0, 0);
    for round in 0..300 {
        let count = 20 + random.below(if round % 10 == 0 { 101 } else { 41 });
        let mut solver = Solver::new();
        let mut other = BasicSolver::default();
        let vars: Vec<Lit> = (0..count).map(|_| solver.variable()).collect();
        let others: Vec<batsat::Var> = vars.iter().map(|_| other.new_var_default()).collect();
        let theirs = |lit: Lit| batsat::Lit::new(others[lit.var()], lit.positive());
        let literal = |random: &mut Random| {
            let lit = vars[random.below(count) as usize];
            if random.below(2) == 0 { lit } else { !lit }
        };
        let mut clauses = Vec::new();
        for _ in 0..count * (380 + random.below(90)) / 100 {
            let clause: Vec<Lit> = (0..3).map(|_| literal(&mut random)).collect();
            solver.clause(clause.iter().copied());
            other.add_clause_reuse(&mut clause.iter().map(|lit| theirs(*lit)).collect());
            clauses.push(clause);
        }
        for assumed in [0, 2, 4] {
            let assumptions: Vec<Lit> = (0..assumed).map(|_| literal(&mut random)).collect();
            let assumed: Vec<batsat::Lit> = assumptions.iter().map(|lit| theirs(*lit)).collect();
            let has_solution = other.solve_limited(&assumed) == lbool::TRUE;
            match solver.solve(&assumptions, u64::MAX) {
                Answer::Solved => {
                    solved += 1;
                    assert!(has_solution, "round {round}");
                    let holds = |clause: &Vec<Lit>| clause.iter().any(|lit| solver.holds(*lit));
                    assert!(clauses.iter().all(holds));
                    assert!(assumptions.iter().all(|lit| solver.holds(*lit)));
                }
                Answer::Impossible(core) => {
                    refuted += 1;
                    assert!(!has_solution, "round {round}");
                    assert!(core.iter().all(|lit| assumptions.contains(lit)));
                    let core: Vec<batsat::Lit> = core.iter().map(|lit| theirs(*lit)).collect();
                    assert_eq!(other.solve_limited(&core), lbool::FALSE, "round {round}");
                }
                Answer::Unknown => unreachable!("no limit"),
            }
        }
    }
    assert!(solved > 200 && refuted > 200, "{solved} {refuted}");
}

#[test]
fn counts_literals() {
    for (count, most) in [(5, 0), (5, 1), (6, 3), (7, 6), (4, 4)] {
        let mut solver = Solver::new();
        let vars: Vec<Lit> = (0..count).map(|_| solver.variable()).collect();
        solver.at_most(most, &vars);
        for bits in 0..1u32 << count {
            let lit = |n: usize| {
                if bits >> n & 1 == 1 {
                    vars[n]
                } else {
                    !vars[n]
                }
            };
            let all: Vec<Lit> = (0..count).map(lit).collect();
            let fits = bits.count_ones() as usize <= most;
            assert_eq!(solver.solve(&all, u64::MAX) == Answer::Solved, fits);
            let mut solver = Solver::new();
            let vars: Vec<Lit> = (0..=count).map(|_| solver.variable()).collect();
            solver.at_most_if(vars[count], most, &vars[..count]);
            let mut same: Vec<Lit> = (0..count)
                .map(|n| {
                    if bits >> n & 1 == 1 {
                        vars[n]
                    } else {
                        !vars[n]
                    }
                })
                .collect();
            assert_eq!(solver.solve(&same, u64::MAX), Answer::Solved);
            same.push(vars[count]);
            assert_eq!(solver.solve(&same, u64::MAX) == Answer::Solved, fits);
        }
    }
}

#[test]
fn stops_at_the_limit_of_conflicts() {
    // Nine pigeons, eight holes: hard for clause learning.
    let mut solver = Solver::new();
    let places: [[Lit; 8]; 9] = [[(); 8]; 9].map(|row| row.map(|()| solver.variable()));
    for pigeon in &places {
        solver.clause(pigeon.iter().copied());
    }
    for (at, one) in places.iter().enumerate() {
        for (a, b) in places[..at].iter().flat_map(|other| one.iter().zip(other)) {
            solver.clause([!*a, !*b]);
        }
    }
    assert_eq!(solver.solve(&[], 100), Answer::Unknown);
}
