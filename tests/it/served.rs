//! An HTTP server in this process that answers as a test says, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) verb: String,
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What comes back.
pub(crate) enum Answer {
    /// Status, headers, body.
    Whole(u16, Vec<(&'static str, String)>, String),
    /// An answer after which the connection stays open; what is asked there next gets `stale.rs`.
    Kept(String),
    /// Nothing, and the connection stays open.
    Hang,
    /// Nothing, and the connection is closed.
    Close,
    /// Half of what was announced.
    Half,
    /// A body without an end.
    Flood,
}

impl Answer {
    pub(crate) fn json(body: impl Into<String>) -> Self {
        Self::Whole(200, vec![("content-type", "application/json".to_owned())], body.into())
    }

    pub(crate) fn status(status: u16, body: &str) -> Self {
        Self::Whole(status, Vec::new(), body.to_owned())
    }
}

/// A server that goes on until the test's process ends.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Served {
    /// Answers each request; the second argument counts them from 0.
    pub(crate) fn new(answer: impl Fn(&Seen, usize) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, all) = (Arc::new(answer), Arc::clone(&seen));
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (answer, all) = (Arc::clone(&answer), Arc::clone(&all));
                std::thread::spawn(move || {
                    let Some(request) = read(&connection) else { return };
                    let nth = {
                        let mut all: std::sync::MutexGuard<'_, Vec<Seen>> = all.lock().unwrap();
                        all.push(request.clone());
                        all.len() - 1
                    };
                    let _ = write(&connection, answer(&request, nth));
                });
            }
        });
        Self { address, seen }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it was asked so far.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

fn read(connection: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(connection);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (verb, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { verb, target, headers, body: String::from_utf8(body).unwrap() })
}

fn write(mut connection: &TcpStream, answer: Answer) -> std::io::Result<()> {
    let head = |status: u16, more: &str| format!("HTTP/1.1 {status} As Said\r\nconnection: close\r\n{more}");
    match answer {
        Answer::Whole(status, headers, body) => {
            let headers = headers.iter().flat_map(|(name, value)| [name, ": ", value.as_str(), "\r\n"]);
            let headers: String = headers.collect();
            let head = head(status, &headers);
            write!(connection, "{head}content-length: {}\r\n\r\n{body}", body.len())
        }
        Answer::Kept(body) => {
            let answer =
                |body: &str| format!("HTTP/1.1 200 As Said\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            write!(connection, "{}", answer(&body))?;
            match read(connection) {
                Some(_) => write!(connection, "{}", answer("[\"stale.rs\"]")),
                None => Ok(()),
            }
        }
        Answer::Hang => connection.read(&mut [0]).map(drop), // until the other side has had enough
        Answer::Close => Ok(()),
        Answer::Half => {
            let kind = head(200, "content-type: application/json\r\n");
            write!(connection, "{kind}content-length: 100\r\n\r\n[\"half")
        }
        Answer::Flood => {
            write!(connection, "{}\r\n", head(200, ""))?;
            loop {
                connection.write_all(&[b'['; 4096])?;
            }
        }
    }
}
