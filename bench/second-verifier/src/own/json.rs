//! Texts that two readers cannot read in two ways: a strict part of JSON, and its canonical form (RFC 8785).

use crate::reader::{require, Rejection};

/// A definition nests four deep; whatever nests deeper is none.
const DEPTH_MOST: usize = 8;
/// Numbers are below this.
const NUMBER_BOUND: u64 = 1_000_000_000;

/// A value of the part of JSON that definitions are written in.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// Members in ascending order of their names, none twice.
    Object(Vec<(String, Json)>),
    List(Vec<Json>),
    Text(String),
    Number(u64),
}

impl Json {
    /// Reads a whole text.
    pub fn parse(text: &str) -> Result<Json, Rejection> {
        let mut parser = Parser {
            rest: text.as_bytes(),
        };
        let value = parser.value(0)?;
        parser.skip_space();
        require(parser.rest.is_empty(), "air: something after its end")?;
        Ok(value)
    }

    /// The one text of this value: members in order, nothing between tokens.
    pub fn canonical(&self) -> String {
        let mut out = String::new();
        self.append_to(&mut out);
        out
    }

    fn append_to(&self, out: &mut String) {
        match self {
            Json::Object(members) => {
                out.push('{');
                for (i, (name, value)) in members.iter().enumerate() {
                    out.push_str(if i == 0 { "\"" } else { ",\"" });
                    out.push_str(name);
                    out.push_str("\":");
                    value.append_to(out);
                }
                out.push('}');
            }
            Json::List(values) => {
                out.push('[');
                for (i, value) in values.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    value.append_to(out);
                }
                out.push(']');
            }
            // No character of it needs an escape: the parser has seen to that.
            Json::Text(text) => {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            Json::Number(number) => out.push_str(&number.to_string()),
        }
    }
}

struct Parser<'a> {
    rest: &'a [u8],
}

impl Parser<'_> {
    fn next(&mut self) -> Result<u8, Rejection> {
        let (&first, rest) = self
            .rest
            .split_first()
            .ok_or_else(|| Rejection::new("air: it ends too early"))?;
        self.rest = rest;
        Ok(first)
    }

    /// Skips what JSON allows between tokens.
    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// The first byte of the next token.
    fn token(&mut self) -> Result<u8, Rejection> {
        self.skip_space();
        self.next()
    }

    /// Whether the next token is this byte, which is then taken.
    fn takes(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, Rejection> {
        require(depth < DEPTH_MOST, "air: it nests too deep")?;
        match self.token()? {
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => Ok(Json::Text(self.text()?)),
            digit @ b'0'..=b'9' => self.number(digit),
            _ => Err(Rejection::new("air: a value of another kind")),
        }
    }

    /// The members after `{`.
    fn object(&mut self, depth: usize) -> Result<Json, Rejection> {
        let mut members = Vec::new();
        if !self.takes(b'}') {
            loop {
                require(self.token()? == b'"', "air: a member without a name")?;
                let name = self.text()?;
                require(self.token()? == b':', "air: a member without a value")?;
                members.push((name, self.value(depth + 1)?));
                match self.token()? {
                    b',' => continue,
                    b'}' => break,
                    _ => return Err(Rejection::new("air: an object that does not end")),
                }
            }
        }
        members.sort_by(|(a, _), (b, _)| a.cmp(b));
        let equal = members.windows(2).any(|pair| pair[0].0 == pair[1].0);
        require(!equal, "air: two equal members")?;
        Ok(Json::Object(members))
    }

    /// The values after `[`.
    fn list(&mut self, depth: usize) -> Result<Json, Rejection> {
        let mut values = Vec::new();
        if !self.takes(b']') {
            loop {
                values.push(self.value(depth + 1)?);
                match self.token()? {
                    b',' => continue,
                    b']' => break,
                    _ => return Err(Rejection::new("air: a list that does not end")),
                }
            }
        }
        Ok(Json::List(values))
    }

    /// The characters after `"`: printable ASCII without escapes.
    fn text(&mut self) -> Result<String, Rejection> {
        let mut text = String::new();
        loop {
            match self.next()? {
                b'"' => return Ok(text),
                b'\\' => return Err(Rejection::new("air: an escape")),
                byte @ b' '..=b'~' => text.push(char::from(byte)),
                _ => return Err(Rejection::new("air: a character that is not printable")),
            }
        }
    }

    /// A whole number that begins with this digit. What may follow it (a fraction, an exponent) is no token.
    fn number(&mut self, first: u8) -> Result<Json, Rejection> {
        let mut number = u64::from(first - b'0');
        while let [digit @ b'0'..=b'9', rest @ ..] = self.rest {
            require(number != 0, "air: a number with a zero before")?;
            number = number * 10 + u64::from(digit - b'0');
            require(number < NUMBER_BOUND, "air: a number that is too large")?;
            self.rest = rest;
        }
        Ok(Json::Number(number))
    }
}
