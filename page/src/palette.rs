//! Colours that the colour-blind can tell apart.
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

/// The colour of errors, on light ground and on dark ground: nothing else has it.
const ERROR: [&str; 2] = ["#c5002c", "#ff6a75"];

/// The hue, as an index into [`HUES`], of a thing that has its own number, as object fifos by the order of their names. The pattern of
/// its line tells its kind, so that hues come again.
pub fn hue_of(number: usize) -> usize {
    number % HUES.len()
}

/// Custom properties `--c0`, `--c1`… of the hues and those of ground, text, lines and errors, for a selector;
/// dark ones where the reader prefers them.
pub fn css(selector: &str) -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for (n, hue) in HUES.iter().enumerate() {
        let _ = write!(light, " --c{n}: {};", hue.light);
        let _ = write!(dark, " --c{n}: {};", hue.dark);
    }
    let [white, black] = GROUND;
    let [red, pink] = ERROR;
    format!(
        "{selector} {{ color-scheme: light dark; --paper: {white}; --ink: #1b1f24; --dim: #565d66; \
         --line: #b9c0c9; --tile: #f1f3f6; --free: #e3e7ec; --warn: #fff0d0; --error: {red};{light} }}\n\
         @media (prefers-color-scheme: dark) {{ {selector} {{ --paper: {black}; --ink: #e6e9ee; \
         --dim: #a2abb6; --line: #4a525d; --tile: #20252c; --free: #2c333c; --warn: #4a3608; --error: {pink};{dark} }} }}\n"
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
    fn errors_can_be_read_on_both_grounds() {
        for (colour, grounds) in [
            (ERROR[0], [GROUND[0], "#f1f3f6"]),
            (ERROR[1], [GROUND[1], "#20252c"]),
        ] {
            for ground in grounds {
                assert!(contrast(colour, ground) >= 4.5, "{colour} on {ground}");
            }
        }
    }

    #[test]
    fn hues_come_again_after_the_last() {
        assert_eq!([0, 6, 7].map(hue_of), [0, 6, 0]);
    }
}
