//! `setup/install.sh`: what is installed is what the action's own commit says, or nothing is.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests write trees and run the script")]

use std::process::Command;

use sha2::{Digest, Sha256};

use crate::pages::home;
use crate::program::{Ran, Tree};

const BINARY: &str = "#!/bin/sh\necho rankhold 0.1.0\n";

/// The action with a release, and the place that release is downloaded from.
fn released(bytes_there: &str) -> Tree {
    let name = format!("rankhold-{}-unknown-linux-musl", std::env::consts::ARCH);
    let tree = Tree::new(&[]);
    std::fs::create_dir(tree.path("setup")).unwrap();
    std::fs::copy(home().join("setup/install.sh"), tree.path("setup/install.sh")).unwrap();
    tree.write("setup/release.txt", format!("v0.1.0\n{:x}  {name}\n", Sha256::digest(BINARY)));
    tree.write(&format!("downloads/v0.1.0/{name}"), bytes_there);
    tree
}

/// None where there is no curl to download with.
fn install(tree: &Tree) -> Option<Ran> {
    Command::new("curl").arg("--version").output().ok()?;
    let mut command = Command::new("bash");
    command
        .args(["setup/install.sh", "bin"])
        .current_dir(tree.root())
        .env("RANKHOLD_DOWNLOADS", format!("file://{}", tree.path("downloads").display()));
    Some(Ran::of(&command.output().unwrap()))
}

#[test]
fn the_binary_of_the_release_is_installed() {
    let tree = released(BINARY);
    let Some(ran) = install(&tree) else { return };
    assert_eq!(ran.code, 0, "{}", ran.err);
    let said = Command::new(tree.path("bin/rankhold")).output().unwrap();
    assert_eq!(said.stdout, b"rankhold 0.1.0\n");
}

#[test]
fn another_binary_is_not() {
    let tree = released("#!/bin/sh\necho hello\n");
    let Some(ran) = install(&tree) else { return };
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("nothing was installed"), "{}", ran.err);
    assert!(!tree.exists("bin/rankhold"));
}
