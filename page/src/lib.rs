//! Pages that need nothing else: one HTML file with its style, script and data inside, which a
//! browser shows without a network.
//!
//! Every page has the same colours ([`palette`]), controls and ways to zoom and to move; what a page
//! adds is its own body, style and script.

pub mod palette;

use serde_json::Value;

/// The style of all pages.
const STYLE: &str = include_str!("style.css");
/// The script of all pages: elements, the tip, zooming and moving over a picture.
const SCRIPT: &str = include_str!("script.js");

/// A page.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// Title, until the script sets another.
    pub title: &'a str,
    /// Style of this page, after the common one.
    pub style: &'a str,
    /// Content of the body.
    pub body: &'a str,
    /// Script of this page, after the common one.
    pub script: &'a str,
    /// Value that the script reads as `data`.
    pub data: &'a Value,
}

impl Page<'_> {
    /// The HTML text.
    pub fn render(&self) -> String {
        // No text in the data may end the element that holds them.
        let data = self.data.to_string().replace('<', "\\u003c");
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>\n{palette}{STYLE}{style}</style>\n</head>\n<body>\n\
             {body}<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n'use strict';\n{SCRIPT}{script}</script>\n</body>\n</html>\n",
            title = escape(self.title),
            palette = palette::css(":root"),
            style = self.style,
            body = self.body,
            script = self.script,
        )
    }
}

/// A text as it may be written in HTML and SVG.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Width of a character at most, on average over a line, as a share of the size of the text.
const CHARACTER: f64 = 7.0 / 12.0;

/// A text as much of it as fits a width, in the unit of the size of the text.
pub fn shortened(text: &str, width: f64, size: f64) -> String {
    let room = ((width / (size * CHARACTER)) as usize).max(2);
    if text.chars().count() <= room {
        return text.to_string();
    }
    let mut short: String = text.chars().take(room - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_cut_to_a_width() {
        assert_eq!(shortened("in0", 21.0, 12.0), "in0");
        assert_eq!(shortened("input", 28.0, 12.0), "inp…");
    }

    #[test]
    fn nothing_in_a_page_ends_its_elements_or_comes_from_elsewhere() {
        let data = json!({ "name": "</script><b>" });
        let page = Page {
            title: "<a> & \"b\"",
            style: "",
            body: "<p>text</p>\n",
            script: "",
            data: &data,
        };
        let text = page.render();
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(text.contains("<title>&lt;a&gt; &amp; &quot;b&quot;</title>"));
        for word in ["src=", "href=", "@import", "url(", "fetch(", "import("] {
            assert!(!text.contains(word), "{word}");
        }
    }
}
