//! Bytes to text: the encodings that model files come in.
//!
//! A [`SourceFile`] holds UTF-8 without a byte order mark, so spans count bytes of that text, which
//! are the bytes of the file unless it was written in another encoding. `iso-8859-1` is read as
//! `windows-1252`, which only differs where the former has control characters.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::{SourceFile, Span};

/// The largest file that is read. Spans are 32 bits wide, and a model of this size is a mistake.
pub const BYTES_MAX: usize = 1 << 30;

/// What the bytes 0x80 to 0x9f mean in `windows-1252`; the five unused ones stay controls.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes a file: UTF-8, UTF-16, or the western encoding that an XML declaration names.
pub fn decode(name: &str, bytes: &[u8], diagnostics: &mut Diagnostics) -> Option<SourceFile> {
    if bytes.len() > BYTES_MAX {
        diagnostics.push(too_large(bytes.len()));
        return None;
    }
    match text(bytes) {
        // Text may have more bytes as UTF-8 than in its file.
        Ok(text) if text.len() > BYTES_MAX => diagnostics.push(too_large(text.len())),
        Ok(text) => return Some(SourceFile { name: name.to_owned(), text }),
        Err(diagnostic) => diagnostics.push(*diagnostic),
    }
    None
}

/// Whether a text is too long for its format, each byte of which may take many bytes of memory. Says so.
pub(crate) fn is_too_long(text: &str, most: usize, diagnostics: &mut Diagnostics) -> bool {
    let is_too_long = text.len() > most;
    if is_too_long {
        let message = format!("files of this format have at most {} MB", most >> 20);
        diagnostics.push(Diagnostic::error("decode::too_long", Span::default(), message));
    }
    is_too_long
}

fn too_large(n_bytes: usize) -> Diagnostic {
    let (mega, limit) = (n_bytes >> 20, BYTES_MAX >> 20);
    Diagnostic::error(
        "decode::too_large",
        Span::default(),
        format!("the file has {mega} MB; at most {limit} MB are read"),
    )
    .help("split the model, or let parameters instead of copies make the instances")
}

fn text(bytes: &[u8]) -> Result<String, Box<Diagnostic>> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(Box::new(
            Diagnostic::error(
                "decode::utf32",
                Span::default(),
                "the file is written in UTF-32, which is not read",
            )
            .help("save the file as UTF-8"),
        )),
        [0xff, 0xfe, rest @ ..] => utf16(rest, 2, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, 2, u16::from_be_bytes),
        [b'<', 0, ..] => utf16(bytes, 0, u16::from_le_bytes),
        [0, b'<', ..] => utf16(bytes, 0, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest, 3),
        _ => match declared_encoding(bytes) {
            Some(encoding) if is_western(encoding) && !bytes.is_ascii() => Ok(western(bytes)),
            _ => utf8(bytes, 0),
        },
    }
}

fn utf8(bytes: &[u8], offset: usize) -> Result<String, Box<Diagnostic>> {
    std::str::from_utf8(bytes).map(str::to_owned).map_err(|error| {
        let at = error.valid_up_to();
        let line = bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        let message = format!(
            "line {line} is not UTF-8: byte {:#04x} at offset {} begins no character",
            bytes[at],
            at + offset
        );
        let help = match declared_encoding(bytes) {
            Some(encoding) if !encoding.eq_ignore_ascii_case("utf-8") => {
                format!("the encoding `{encoding}` is not known here; save the file as UTF-8")
            }
            _ if bytes.trim_ascii_start().starts_with(b"<") => {
                "save the file as UTF-8, or state its encoding in the first line, such as \
                 `<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>`"
                    .to_owned()
            }
            _ => "save the file as UTF-8".to_owned(),
        };
        // Whoever shows the rest of the file puts a replacement character of three bytes here.
        let span = Span::new(at + offset, at + offset + 3);
        Box::new(Diagnostic::error("decode::not_utf8", span, message).help(help))
    })
}

fn utf16(bytes: &[u8], offset: usize, unit: fn([u8; 2]) -> u16) -> Result<String, Box<Diagnostic>> {
    let bad = |at: usize, what: &str| {
        let message = format!("the file starts like UTF-16, but {what} at offset {at}");
        let diagnostic = Diagnostic::error("decode::not_utf16", Span::default(), message);
        Box::new(diagnostic.help("save the file as UTF-8"))
    };
    let (units, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut at = offset;
    for c in char::decode_utf16(units.iter().map(|&pair| unit(pair))) {
        let c = c.map_err(|_| bad(at, "half of a surrogate pair stands alone"))?;
        at += 2 * c.len_utf16();
        text.push(c);
    }
    match rest {
        [] => Ok(text),
        _ => Err(bad(at, "it ends with half a character")),
    }
}

/// The encoding that an XML declaration names.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = bytes[..bytes.len().min(256)].trim_ascii_start();
    let end = head.strip_prefix(b"<?xml")?.windows(2).position(|pair| pair == b"?>")?;
    let declaration = std::str::from_utf8(&head[5..5 + end]).ok()?;
    let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(encoding, _)| encoding)
}

fn is_western(encoding: &str) -> bool {
    ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1", "windows-1252", "cp1252"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(encoding))
}

fn western(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| match byte {
            0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
            _ => char::from(byte),
        })
        .collect()
}
