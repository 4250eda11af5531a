//! Recording and replaying.

use std::sync::Arc;

use insta::assert_snapshot;
use review_loop::llm::replay::{Record, Redact, Replay};
use review_loop::llm::{Brief, Model, Tier};
use serde_json::json;

use super::fake::{BOTH, Fake, Steps, reply};
use super::{KEY, brief, model, request, settings, told};

fn redact() -> Redact {
    Arc::new(|text| text.replace("hunter2", "[secret]"))
}

#[tokio::test]
async fn what_was_recorded_is_answered_again_without_a_server() {
    for protocol in BOTH {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let fake = Fake::start(|seen| match seen.number {
            0 => reply(seen, "the password is hunter2"),
            1 => reply(seen, "second"),
            _ => Steps::json(403, &json!({"error": {"message": "hunter2 is wrong"}})),
        });
        let record = Record::create(model(protocol, &fake, &settings()), &path, redact()).unwrap();
        let mut quick = request();
        quick.tier = Tier::Quick;
        let mut recorded = Vec::new();
        for asked in [&request(), &request(), &quick] {
            recorded.push(told(&record.complete(&brief(), asked).await));
        }
        drop(fake);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("hunter2") && !text.contains(KEY) && !text.contains("THE BRIEF"), "{text}");
        let replay = Replay::open(&path).unwrap();
        let mut replayed = Vec::new();
        for asked in [&request(), &request(), &quick] {
            replayed.push(told(&replay.complete(&brief(), asked).await));
        }
        assert_eq!(recorded, replayed);
        assert!(recorded[0].contains("the password is [secret]"), "{recorded:?}");
        assert_eq!(told(&replay.complete(&brief(), &request()).await), recorded[1], "the last answer stays");
    }
}

#[tokio::test]
async fn a_request_that_was_not_recorded_names_the_nearest_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.json");
    let fake = Fake::start(|seen| reply(seen, "ok"));
    let record = Record::create(model(BOTH[0], &fake, &settings()), &path, redact()).unwrap();
    let empty = Replay::open(&path).unwrap();
    record.complete(&brief(), &request()).await.unwrap();
    let replay = Replay::open(&path).unwrap();
    let place = path.display().to_string();
    let say = |answer: String| answer.replace(&place, "run.json");
    assert_snapshot!(say(told(&empty.complete(&brief(), &request()).await)), @"error: run.json has no answer to this request: it is empty; record it again with --record run.json");
    let other = Brief { text: "ANOTHER".to_owned(), left_out: vec![] };
    assert_snapshot!(say(told(&replay.complete(&other, &request()).await)), @"error: run.json has no answer to this request: the nearest, entry 1 of 1, differs in the subject under review; record it again with --record run.json");
    let mut asked = request();
    (asked.instructions, asked.max_output_tokens) = ("Look harder.".to_owned(), 7);
    assert_snapshot!(say(told(&replay.complete(&brief(), &asked).await)), @"error: run.json has no answer to this request: the nearest, entry 1 of 1, differs in the instructions and the output cap; record it again with --record run.json");
    assert!(replay.name().starts_with("replay of anthropic ("), "{}", replay.name());
}

#[test]
fn only_cassettes_are_read_and_only_cassettes_are_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let none: Arc<dyn Model> = Arc::new(review_loop::llm::none::Unavailable);
    let check = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let place = folder.path().display().to_string();
        let read = Replay::open(&path).err().map_or_else(|| "read".to_owned(), |e| e.to_string().replace(&place, "."));
        let written = Record::create(Arc::clone(&none), &path, redact()).is_ok();
        assert_eq!(std::fs::read_to_string(&path).unwrap() == text, !written);
        format!("{read}; {}", if written { "written over" } else { "left alone" })
    };
    assert_snapshot!(check("main.rs", "fn main() {}"), @"./main.rs is not a cassette that this version reads: expected ident at line 1 column 2; left alone");
    assert_snapshot!(check("old.json", r#"{"review-loop-cassette":0,"model":"m","entries":[]}"#), @"./old.json is not a cassette that this version reads: it is of version 0, this is 1; left alone");
    assert_snapshot!(check("good.json", r#"{"review-loop-cassette":1,"model":"m","entries":[]}"#), @"read; written over");
    assert!(Replay::open(folder.path()).is_err());
    assert!(Record::create(none, &folder.path().join("no/such/folder.json"), redact()).is_err());
}
