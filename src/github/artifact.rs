//! What a workflow run left, read as what it is: a file that a stranger may have written.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};

use super::{Artifact, Artifacts, Client, GithubProblem, Repository, endpoint};
use crate::error::{Blame, Blamed};

/// The most bytes of an archive.
const PACKED: usize = 64 << 20;

/// The most bytes that may come out of it.
const UNPACKED: u64 = 256 << 20;

/// The most files in it.
const FILES: usize = 1000;

/// Why an artifact cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactRefused {
    /// GitHub could not be asked.
    #[error(transparent)]
    Github(#[from] GithubProblem),
    /// The run left none of that name.
    #[error("the run left no artifact `{0}`")]
    Missing(String),
    /// The run left several of that name.
    #[error("the run left {1} artifacts `{0}`: nobody knows which counts")]
    Several(String, usize),
    /// It is gone.
    #[error("the artifact `{0}` has expired")]
    Expired(String),
    /// It is too large, or no archive, or holds what none of ours holds.
    #[error("the artifact `{name}` is refused: {what}")]
    Odd {
        /// Its name.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

impl Blamed for ArtifactRefused {
    fn blame(&self) -> Blame {
        match self {
            Self::Github(problem) => problem.blame(),
            _ => Blame::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Github(problem) => problem.hint(),
            Self::Missing(name) | Self::Several(name, _) | Self::Expired(name) => Some(format!(
                "the workflow that measures uploads one artifact `{name}` of the folder rankhold in the runner's temporary \
                 folder: docs/workflows/forks-measure.yml"
            )),
            Self::Odd { .. } => Some("run the workflow that measures again".to_owned()),
        }
    }
}

/// The files of the artifact of that name, by their names: flat, few and small, or none of them.
pub async fn artifact_files(
    client: &Client,
    repository: &Repository,
    run: u64,
    name: &str,
) -> Result<BTreeMap<String, Vec<u8>>, ArtifactRefused> {
    let call = endpoint::run_artifacts(repository, run);
    let all = client.all(&call, |page: Artifacts| page.artifacts).await?;
    let mut named: Vec<Artifact> = all.into_iter().filter(|artifact| artifact.name == name).collect();
    let artifact = match named.len() {
        0 => return Err(ArtifactRefused::Missing(name.to_owned())),
        1 => named.remove(0),
        several => return Err(ArtifactRefused::Several(name.to_owned(), several)),
    };
    if artifact.expired {
        return Err(ArtifactRefused::Expired(name.to_owned()));
    }
    if artifact.size_in_bytes > PACKED as u64 {
        let what = format!("{} bytes, at most {PACKED} are read", artifact.size_in_bytes);
        return Err(ArtifactRefused::Odd { name: name.to_owned(), what });
    }
    let packed = client.follow(&endpoint::artifact_archive(repository, artifact.id), PACKED).await?;
    archived_files(name, &packed)
}

/// The files of an artifact's archive, likewise.
pub fn archived_files(name: &str, packed: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, ArtifactRefused> {
    unpack(packed).map_err(|what| ArtifactRefused::Odd { name: name.to_owned(), what })
}

/// Unpacks in memory: nothing in an archive names a place on our disk.
fn unpack(packed: &[u8]) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let mut archive =
        zip::ZipArchive::new(Cursor::new(packed)).map_err(|error| format!("no archive: {error}"))?;
    if archive.len() > FILES {
        return Err(format!("{} files, at most {FILES} are read", archive.len()));
    }
    let mut files = BTreeMap::new();
    let mut left = UNPACKED;
    for at in 0..archive.len() {
        let file = archive.by_index(at).map_err(|error| error.to_string())?;
        if file.is_dir() {
            continue;
        }
        let name = file.name().map_err(|error| error.to_string())?.into_owned();
        let flat = !name.is_empty() && !name.contains(['/', '\\']) && !name.chars().any(char::is_control);
        if !flat || file.is_symlink() {
            return Err(format!("`{}` is no plain file at the top", name.escape_debug()));
        }
        let mut bytes = Vec::new();
        let read =
            file.take(left + 1).read_to_end(&mut bytes).map_err(|error| format!("`{name}`: {error}"))?;
        left =
            left.checked_sub(read as u64).ok_or_else(|| format!("unpacks to more than {UNPACKED} bytes"))?;
        if files.insert(name.clone(), bytes).is_some() {
            return Err(format!("`{name}` is in it twice"));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;

    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(bytes).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn files_at_the_top_are_read() {
        let files = unpack(&packed(&[("a.json", b"{}"), ("b.json", b"[]")])).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), ["a.json", "b.json"]);
        assert_eq!(files["b.json"], b"[]");
    }

    #[test]
    fn what_none_of_ours_holds_is_refused() {
        for name in ["../x", "/etc/x", "a/b", "a\\b", "C:\\x", "x\n"] {
            assert!(unpack(&packed(&[(name, b"x")])).unwrap_err().contains("no plain file"), "{name:?}");
        }
        assert!(unpack(b"<html>").unwrap_err().contains("no archive"));
        let many: Vec<String> = (0..=FILES).map(|at| at.to_string()).collect();
        let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert!(unpack(&packed(&many)).unwrap_err().contains("files"));
    }

    #[test]
    fn a_bomb_is_left_packed() {
        let zeros = vec![0; 1 << 20];
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        archive.start_file("zeros", SimpleFileOptions::default()).unwrap();
        for _ in 0..=UNPACKED >> 20 {
            archive.write_all(&zeros).unwrap();
        }
        let bomb = archive.finish().unwrap().into_inner();
        assert!(bomb.len() < 2 << 20);
        assert!(unpack(&bomb).unwrap_err().contains("unpacks to more"));
    }
}
