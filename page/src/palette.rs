//! Colours that the colour-blind can tell apart, and the line patterns that follow when they run out.
//!
//! The hues are those of Okabe and Ito ("Color Universal Design", 2008) without the yellow, which
//! can't be seen on white; each is darkened for light ground and lightened for dark ground until its
//! contrast to the ground is at least 4.5 (WCAG 2.1, 1.4.3).

use std::fmt::Write;

/// A hue: its name, as `#rrggbb` on light ground and on dark ground.
pub struct Hue {
    /// Name.
    pub name: &'static str,
    /// On light ground.
    pub light: &'static str,
    /// On dark ground.
    pub dark: &'static str,
}

const fn hue(name: &'static str, light: &'static str, dark: &'static str) -> Hue {
    Hue { name, light, dark }
}

/// The hues in the order in which they are given.
pub const HUES: [Hue; 7] = [
    hue("blue", "#0068a3", "#4ba3e3"),
    hue("vermilion", "#b84f00", "#ff8a33"),
    hue("green", "#00754f", "#2fc79a"),
    hue("purple", "#a34477", "#e08fbf"),
    hue("sky", "#1f74a6", "#8fd0f5"),
    hue("ochre", "#7f6000", "#e6c04a"),
    hue("black", "#222222", "#f0f0f0"),
];

/// The ground of pages, light and dark.
pub const GROUND: [&str; 2] = ["#ffffff", "#14171b"];

/// Dashes of lines whose hue is given again: lengths of line and gap in pixels; none at first.
pub const DASHES: [&str; 4] = ["", "9 2.5", "5 3", "12 2.5 3 2.5"];

/// Style of things that have their own number: object fifos by the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStyle {
    /// Index into [`HUES`].
    pub hue: usize,
    /// Index into [`DASHES`].
    pub dash: usize,
}

impl LineStyle {
    /// The style of a number: all hues, then all hues with dashes, and from the start again.
    pub fn of(number: usize) -> LineStyle {
        LineStyle {
            hue: number % HUES.len(),
            dash: number / HUES.len() % DASHES.len(),
        }
    }
}

/// Custom properties `--c0`, `--c1`… of the hues and those of ground, text and lines, for a selector;
/// dark ones where the reader prefers them.
pub fn css(selector: &str) -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (n, hue) in HUES.iter().enumerate() {
        let _ = write!(light, " --c{n}: {};", hue.light);
        let _ = write!(dark, " --c{n}: {};", hue.dark);
    }
    let [white, black] = GROUND;
    format!(
        "{selector} {{ color-scheme: light dark; --paper: {white}; --ink: #1b1f24; --dim: #565d66; \
         --line: #b9c0c9; --tile: #f1f3f6; --free: #e3e7ec; --warn: #fff0d0;{light} }}\n\
         @media (prefers-color-scheme: dark) {{ {selector} {{ --paper: {black}; --ink: #e6e9ee; \
         --dim: #a2abb6; --line: #4a525d; --tile: #20252c; --free: #2c333c; --warn: #4a3608;{dark} }} }}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.1).
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour");
            let share = f64::from(value) / 255.0;
            if share <= 0.03928 {
                share / 12.92
            } else {
                ((share + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn every_hue_can_be_read_on_both_grounds() {
        for hue in HUES {
            assert!(contrast(hue.light, GROUND[0]) >= 4.5, "{}", hue.name);
            assert!(
                contrast(hue.light, "#f1f3f6") >= 4.5,
                "{} on a tile",
                hue.name
            );
            assert!(contrast(hue.dark, GROUND[1]) >= 4.5, "{}", hue.name);
            assert!(
                contrast(hue.dark, "#20252c") >= 4.5,
                "{} on a tile",
                hue.name
            );
        }
    }

    #[test]
    fn hues_come_before_dashes() {
        assert_eq!(LineStyle::of(0), LineStyle { hue: 0, dash: 0 });
        assert_eq!(LineStyle::of(6), LineStyle { hue: 6, dash: 0 });
        assert_eq!(LineStyle::of(7), LineStyle { hue: 0, dash: 1 });
        assert_eq!(LineStyle::of(28), LineStyle::of(0));
    }
}
