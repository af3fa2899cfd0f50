//! The variables of the solver by activity.

/// Variables by activity, the most active on top; the lower number among equals.
#[derive(Default)]
pub(super) struct Heap {
    list: Vec<usize>,
    /// Where a variable is in the list.
    place: Vec<Option<usize>>,
}

impl Heap {
    fn before(a: usize, b: usize, activity: &[f64]) -> bool {
        (activity[a], b) > (activity[b], a)
    }

    /// Adds a variable that may be in it already.
    pub fn add(&mut self, var: usize, activity: &[f64]) {
        if self.place.len() <= var {
            self.place.resize(var + 1, None);
        }
        if self.place[var].is_none() {
            self.place[var] = Some(self.list.len());
            self.list.push(var);
            self.up(self.list.len() - 1, activity);
        }
    }

    /// Moves a variable up after its activity rose.
    pub fn risen(&mut self, var: usize, activity: &[f64]) {
        if let Some(at) = self.place[var] {
            self.up(at, activity);
        }
    }

    /// Takes the first variable out.
    pub fn pop(&mut self, activity: &[f64]) -> Option<usize> {
        let top = *self.list.first()?;
        self.place[top] = None;
        if let Some(last) = self.list.pop().filter(|last| *last != top) {
            self.list[0] = last;
            self.place[last] = Some(0);
            self.down(0, activity);
        }
        Some(top)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.list.swap(a, b);
        self.place[self.list[a]] = Some(a);
        self.place[self.list[b]] = Some(b);
    }

    fn up(&mut self, mut at: usize, activity: &[f64]) {
        while at > 0 {
            let parent = (at - 1) / 2;
            if !Self::before(self.list[at], self.list[parent], activity) {
                break;
            }
            self.swap(at, parent);
            at = parent;
        }
    }

    fn down(&mut self, mut at: usize, activity: &[f64]) {
        loop {
            let mut best = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if let Some(var) = self.list.get(child)
                    && Self::before(*var, self.list[best], activity)
                {
                    best = child;
                }
            }
            if best == at {
                break;
            }
            self.swap(at, best);
            at = best;
        }
    }
}
