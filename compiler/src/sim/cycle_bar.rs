//! The bar that shows how far a long run is.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::io::Terminal;

/// Shows the cycles of a run that takes long, on a terminal.
pub struct CycleBar {
    begin: Instant,
    wanted: bool,
    shown: Option<ProgressBar>,
}

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

impl CycleBar {
    /// A bar that isn't shown yet.
    pub fn new(terminal: Terminal) -> CycleBar {
        CycleBar {
            begin: Instant::now(),
            wanted: terminal.interactive,
            shown: None,
        }
    }

    /// Shows a cycle.
    pub fn tell(&mut self, cycle: u64) {
        if !self.wanted || self.begin.elapsed() < PATIENCE {
            return;
        }
        let bar = self.shown.get_or_insert_with(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} cycle {human_pos}  {elapsed}");
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        bar.set_position(cycle);
    }

    /// Makes room for a line.
    pub fn clear(&self) {
        if let Some(bar) = &self.shown {
            bar.suspend(|| {});
        }
    }

    /// Takes it off the terminal.
    pub fn end(self) {
        if let Some(bar) = self.shown {
            bar.finish_and_clear();
        }
    }
}
