//! What ends the wait of an approval for its file, and what does not.

use rankhold::github::Sha;

use super::fake::graph::{Commit, Entry};
use super::fake::world::{Merge, World};
use super::scene::{BASELINE, Scene, US, losing_more};
use super::stage::{REPOSITORY, burying, texts};

const RECORD: &str = "[approval]\nmode = \"record\"";

fn page() -> Vec<(String, String)> {
    vec![("docs/more.md".to_owned(), "# More\n".to_owned())]
}

/// A pull request whose figures were approved by a comment alone.
fn approved() -> Scene {
    let scene = Scene::of(RECORD);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    scene
}

/// Another one, likewise, on what main is now.
fn approve_another(scene: Scene, branch: &str, files: &[(String, String)], by: &str) -> Scene {
    let pull = scene.another(branch, files);
    scene.review(pull).ran.ends(0);
    let scene = Scene { pull, ..scene };
    scene.say(by, &scene.command()).ran.ends(0);
    assert_eq!(scene.now(), "success");
    scene
}

/// What main says after its workflow ran, and how many proposals are open.
fn main_says(scene: &Scene) -> (String, usize) {
    scene.pushed().ran.ends(0);
    (scene.conclusion(&scene.stage.tip("main")), scene.proposals().len())
}

fn good(proposals: usize) -> (String, usize) {
    ("success".to_owned(), proposals)
}

/// A merge by hand: these files are the merge's own, whatever its parents have.
fn merge_by_hand(world: &mut World, first: &Sha, second: &Sha, files: &[(&str, Option<&str>)]) -> Sha {
    let mut tree = world.graph.merged(first, second);
    for (path, text) in files {
        match text {
            Some(text) => drop(tree.insert((*path).to_owned(), Entry::File(text.as_bytes().to_vec()))),
            None => drop(tree.remove(*path)),
        }
    }
    let (parents, message) = (vec![first.clone(), second.clone()], "a merge by hand".to_owned());
    world.graph.add(Commit { parents, tree, author: "ada".to_owned(), message })
}

/// The proposal was made, somebody else's approval was merged, and then the proposal.
#[test]
fn a_proposal_that_is_merged_late_ends_its_own_wait_and_no_other() {
    for how in [Merge::Commit, Merge::Squash, Merge::Rebase] {
        let scene = approved();
        scene.merge(scene.pull, Merge::Squash);
        scene.pushed().ran.ends(0);
        let [proposal] = scene.proposals().try_into().unwrap();
        let scene = approve_another(scene, "second", &losing_more(), "bea");
        scene.merge(scene.pull, how);
        scene.merge(proposal.number, how);
        assert_eq!(main_says(&scene), good(1), "{how:?}");
        let [second] = scene.proposals().try_into().unwrap();
        let text = second.body.unwrap();
        assert!(text.contains("`bea`") && !text.contains("`max`"), "{text}");
        scene.merge(second.number, how);
        assert_eq!(main_says(&scene), good(0), "{how:?}");
    }
}

/// Whoever takes a file back takes back what was approved before, whatever is filed again later.
#[test]
fn what_was_taken_back_stays_back_when_an_older_file_is_filed_again() {
    let scene = approved();
    let before = scene.baseline(&scene.stage.tip("main")).unwrap();
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [proposal] = scene.proposals().try_into().unwrap();
    let first = scene.baseline(&proposal.head_sha).unwrap();
    let scene = approve_another(scene, "second", &losing_more(), "bea");
    scene.merge(scene.pull, Merge::Squash);
    scene.merge(proposal.number, Merge::Squash);
    scene.stage.commit("main", &[(BASELINE, &before)]);
    assert_eq!(main_says(&scene), ("failure".to_owned(), 0));
    scene.stage.commit("main", &[(BASELINE, &first)]);
    assert_eq!(main_says(&scene), ("failure".to_owned(), 0), "the second was taken back with the first");
}

/// `git log -- FILE` follows the side that has the file as the merge has it, and does not name the merge.
#[test]
fn a_merge_that_takes_a_file_back_takes_it_back() {
    let scene = approved();
    let before = scene.baseline(&scene.stage.tip("main")).unwrap();
    scene.stage.commit("old", &texts(&page()));
    scene.merge(scene.pull, Merge::Squash);
    scene.pushed().ran.ends(0);
    let [proposal] = scene.proposals().try_into().unwrap();
    scene.merge(proposal.number, Merge::Squash);
    assert_eq!(main_says(&scene), good(0));
    scene.with(|world| {
        let (main, old) = (world.tip(REPOSITORY, "main"), world.tip(REPOSITORY, "old"));
        let merged = merge_by_hand(world, &main, &old, &[(BASELINE, Some(&before))]);
        world.push(REPOSITORY, "main", &merged);
    });
    assert_eq!(main_says(&scene), ("failure".to_owned(), 0));
}

/// `git pull` on a local main, pushed: the merge's first parent is the local one, and everything else came with it.
#[test]
fn a_merge_the_wrong_way_round_loses_nothing() {
    for lands in [false, true] {
        let scene = approved();
        scene.stage.commit("local", &texts(&page()));
        scene.merge(scene.pull, Merge::Squash);
        scene.pushed().ran.ends(0);
        if lands {
            let [proposal] = scene.proposals().try_into().unwrap();
            scene.merge(proposal.number, Merge::Squash);
        }
        scene.with(|world| {
            let (main, local) = (world.tip(REPOSITORY, "main"), world.tip(REPOSITORY, "local"));
            let merged = merge_by_hand(world, &local, &main, &[]);
            world.push(REPOSITORY, "main", &merged);
        });
        assert_eq!(main_says(&scene), good(usize::from(!lands)), "{lands}");
    }
}

/// The approval was committed to the pull request, and who merged it left the file out.
#[test]
fn a_merge_that_drops_the_approved_file_drops_the_approval() {
    let scene = Scene::of("");
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    scene.say("max", &scene.command()).ran.ends(0);
    assert_eq!((scene.now().as_str(), scene.commits_of_ours().len()), ("success", 1));
    let kept = scene.copy();
    let before = scene.baseline(&scene.stage.tip("main"));
    scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        let head = world.repo(REPOSITORY).pulls[&scene.pull].head_sha.clone();
        let merged = merge_by_hand(world, &main, &head, &[(BASELINE, before.as_deref())]);
        world.merged(REPOSITORY, scene.pull, &merged);
    });
    assert_eq!(main_says(&scene), ("failure".to_owned(), 0));
    kept.merge(kept.pull, Merge::Commit);
    assert_eq!(main_says(&kept), good(0), "as everybody merges");
}

/// A suite that came and went before the merge was never the branch's.
#[test]
fn a_first_baseline_that_was_dropped_again_before_the_merge_is_not_owed() {
    let herbs = crate::program::suite("Herbs", &[("mint", "cut mint", "docs/mint.md")]);
    let adding = vec![
        ("suites/herbs.json".to_owned(), herbs.clone()),
        ("docs/mint.md".to_owned(), "# Cut mint\n".to_owned()),
    ];
    let scene = Scene::of(RECORD);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    let scene = approve_another(scene, "herbs", &adding, "max");
    let proposes_herbs = |scene: &Scene| {
        let [proposal] = scene.proposals().try_into().unwrap();
        scene.with(|world| world.graph.tree(&proposal.head_sha).contains_key("baselines/herbs.bm25.json"))
    };
    // While it is there, it is owed.
    let kept = scene.copy();
    kept.merge(kept.pull, Merge::Squash);
    assert_eq!(main_says(&kept), good(1));
    assert!(proposes_herbs(&kept));
    let without = |scene: &Scene, branch: &str| {
        let commit = scene.with(|world| {
            let tip = world.tip(REPOSITORY, branch);
            let commit = world.edit(&tip, |tree| drop(tree.remove("suites/herbs.json")));
            world.push(REPOSITORY, branch, &commit);
            commit
        });
        scene.review(scene.pull).ran.ends(0);
        scene.conclusion(&commit)
    };
    let lost = kept.another("lost", &page());
    assert_eq!(without(&Scene { pull: lost, ..kept }, "lost"), "failure");

    assert_eq!(without(&scene, "herbs"), "success");
    scene.merge(scene.pull, Merge::Squash);
    assert_eq!(main_says(&scene), good(1), "of the pair that stayed");
    assert!(!proposes_herbs(&scene));
    let pull = scene.another("idle", &page());
    scene.review(pull).ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.head(pull)), "success");
    // Who brings it again, brings it for the first time.
    let again = scene.another("again", &adding);
    scene.review(again).ran.ends(0);
    assert_eq!(scene.conclusion(&scene.stage.head(again)), "neutral");
}

/// An account has another name today: it is the same account, and its files are the same files.
#[test]
fn an_account_with_another_name_has_approved_what_it_approved() {
    let scene = approved();
    scene.merge(scene.pull, Merge::Squash);
    let scene = approve_another(scene, "second", &losing_more(), "bea");
    scene.merge(scene.pull, Merge::Squash);
    scene.with(|world| world.rename_user("max", "maxine"));
    assert_eq!(main_says(&scene), good(1), "what rests on it rests on it still");
    let [proposal] = scene.proposals().try_into().unwrap();
    scene.with(|world| world.rename_user("bea", "beatrice"));
    scene.review(proposal.number).ran.ends(0);
    assert_eq!(scene.conclusion(&proposal.head_sha), "success");

    let committed = Scene::of("");
    committed.say("max", &committed.command()).ran.ends(0);
    committed.with(|world| world.rename_user("max", "maxine"));
    committed.review(committed.pull).ran.ends(0);
    assert_eq!(committed.now(), "success", "byte for byte what was committed");
    // The name is the one of that day and no other.
    let text = committed.baseline(&committed.head()).unwrap();
    let other = text.replacen("\"max\"", "\"board\"", 1);
    assert_ne!(other, text);
    committed.push(committed.pull, &[(BASELINE.to_owned(), other)]);
    committed.review(committed.pull).ran.ends(0);
    assert_eq!(committed.now(), "failure");
}

/// Somebody runs the command's workflow again, long after it was answered.
#[test]
fn a_command_that_is_run_again_after_the_merge_takes_nothing_back() {
    let scene = Scene::of(RECORD);
    scene.with(|world| world.repo_mut(REPOSITORY).workflows_open = true);
    let comment = scene.note(scene.pull, "max", &scene.command());
    scene.hear(scene.pull, comment).ran.ends(0);
    let answers = scene.replies(scene.pull);
    scene.merge(scene.pull, Merge::Squash);
    scene.hear(scene.pull, comment).ran.ends(0);
    assert_eq!(scene.replies(scene.pull), answers);
    assert_eq!(main_says(&scene), good(1));
}

/// The figures that a check carries are many; one of them that cannot be had takes no other along.
#[test]
fn one_pointer_that_leads_nowhere_takes_no_other_along() {
    let scene = approved();
    let rewrite = |scene: &Scene, change: &dyn Fn(&str) -> String| {
        let head = scene.head();
        scene.with(|world| {
            for check in world.repo_mut(REPOSITORY).checks.values_mut().filter(|check| check.commit == head) {
                check.text = Some(change(check.text.as_deref().unwrap_or_default()));
            }
        });
    };
    let nowhere = format!("```rankhold-candidates-uploaded\n4711 {}\n```\n", "0".repeat(32));
    let damaged = "```rankhold-candidates\nnot base64!\n```\n";
    scene.push(scene.pull, &losing_more());
    scene.review(scene.pull).ran.ends(0);
    let command = scene.command();
    rewrite(&scene, &|text| format!("{nowhere}{damaged}{text}"));
    scene.say("bea", &command).ran.ends(0);
    assert!(
        scene.replies(scene.pull)[1].contains("approved these figures"),
        "{:#?}",
        scene.replies(scene.pull)
    );
    assert_eq!(scene.now(), "success");
    // What can be approved now is the last one: if that is the one that leads nowhere, no other takes its place.
    let scene = approved();
    let command = scene.command();
    rewrite(&scene, &|text| format!("{text}\n{nowhere}"));
    let ended = scene.say("bea", &command);
    assert!(scene.replies(scene.pull)[1].contains("could not be read"), "{:#?}", scene.replies(scene.pull));
    ended.ran.ends(3);
}

/// A workflow of the pull request checks out a merge of its head with what it likes.
#[test]
fn a_merge_with_anything_but_the_branch_is_no_base() {
    let scene = Scene::unreviewed("");
    let forged = |scene: &Scene, other: &Sha| {
        let head = scene.head();
        let (merge, step) =
            (scene.with(|world| world.merge_commit(other, &head)), scene.stage.step(scene.pull));
        step.checkout.write(".git/HEAD", format!("{merge}\n"));
        scene.run_of(step).run()
    };
    // It has a baseline that the bad figures fit.
    let lowered = |scene: &Scene| {
        let checkout = scene.stage.checkout(&scene.head());
        checkout.run("approve --by wim").ends(0);
        checkout.read(BASELINE)
    };
    let low = lowered(&scene);
    let elsewhere = scene.stage.commit("elsewhere", &[(BASELINE, &low)]);
    let ended = forged(&scene, &elsewhere);
    assert!(ended.ran.err.contains("is not on `main`"), "{}", ended.ran.err);
    ended.ran.ends(2);
    assert_eq!(scene.now(), "failure");

    // Or it was merged, in the middle of a pull request that took it back at its end.
    let before = scene.baseline(&scene.stage.tip("main")).unwrap();
    let middle = scene.stage.commit("passing", &[(BASELINE, &low)]);
    scene.stage.commit("passing", &[(BASELINE, &before)]);
    let passing = scene.with(|world| world.pull(REPOSITORY, "passing", "main"));
    scene.merge(passing, Merge::Commit);
    let ended = forged(&scene, &middle);
    assert!(ended.summary.contains("was never the tip of"), "{}", ended.summary);
    assert_eq!(scene.now(), "failure");
    // So does a branch that starts there, or at its twin where the merge was a rebase.
    let rebased = scene.with(|world| {
        let main = world.tip(REPOSITORY, "main");
        let lowered = world.commit(&main, &[(BASELINE, &low), ("docs/x.md", "# X\n")]);
        let restored = world.commit(&lowered, &[(BASELINE, &before)]);
        world.push(REPOSITORY, "rebased", &restored);
        world.pull(REPOSITORY, "rebased", "main")
    });
    let tip = scene.merge(rebased, Merge::Rebase);
    let twin = scene.with(|world| world.graph.get(&tip).unwrap().parents[0].clone());
    assert_eq!(scene.baseline(&twin).as_ref(), Some(&low));
    for (branch, start) in [("sly", middle), ("slier", twin)] {
        let head = scene.with(|world| {
            let head = world.commit(&start, &texts(&burying()));
            world.push(REPOSITORY, branch, &head);
            head
        });
        let pull = scene.with(|world| world.pull(REPOSITORY, branch, "main"));
        scene.review(pull);
        assert_eq!(scene.conclusion(&head), "failure", "{branch}");
    }
    // An honest merge is as good as ever, and so is one with a main that is older by now.
    let older = scene.stage.tip("main");
    scene.stage.commit("main", &texts(&page()));
    let honest = scene.another("honest", &page());
    for base in [scene.stage.tip("main"), older] {
        forged(&Scene { pull: honest, stage: scene.stage.copy() }, &base).ran.ends(0);
    }
}

/// Our answers as they would stand below many pull requests.
#[test]
fn more_approvals_than_a_review_reads_are_a_doubt_that_is_said() {
    let scene = Scene::of(RECORD);
    let (token, head) = (scene.token(), scene.head());
    scene.with(|world| {
        for at in 0..51 {
            let branch = format!("many{at}");
            let tip = world.tip(REPOSITORY, "main");
            let commit = world.commit(&tip, &[(&format!("docs/many{at}.md"), "# Many\n")]);
            world.push(REPOSITORY, &branch, &commit);
            let pull = world.pull(REPOSITORY, &branch, "main");
            let comment = world.comment(REPOSITORY, pull, "max", &format!("/rankhold approve {token}"));
            let answer = format!(
                "fine\n<!-- rankhold-approved {token} {head} max -->\n<!-- rankhold:reply:{comment} -->"
            );
            world.comment(REPOSITORY, pull, "mallory", &answer);
            world.merge(REPOSITORY, pull, Merge::Squash);
        }
    });
    assert_eq!(main_says(&scene), good(0), "a stranger's words cost nothing");
    scene.with(|world| {
        let pulls: Vec<u64> = world.repo(REPOSITORY).pulls.keys().copied().collect();
        for pull in pulls {
            let theirs = world.comments(REPOSITORY, pull).into_iter().find(|one| one.author == "mallory");
            if let Some(body) = theirs.map(|one| one.body.clone()) {
                let at = world.repo(REPOSITORY).pulls[&pull].merged_at.clone().unwrap();
                let id = world.comment(REPOSITORY, pull, US, &body);
                world.repo_mut(REPOSITORY).comments.get_mut(&id).unwrap().created = at;
            }
        }
    });
    let ended = scene.pushed();
    assert!(ended.ran.err.contains("more than 50 merged pull requests"), "{}", ended.ran.err);
    ended.ran.ends(3);
    let (conclusion, _, summary) = scene.stage.verdict(&scene.stage.tip("main"));
    assert_eq!(conclusion, "failure");
    assert!(summary.contains("more than 50 merged pull requests"), "{summary}");
}
