//! `demo`: the sample and its recorded conversation, the review that is made of them, and the user's own last commit.

use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use review_loop::demo::{CASSETTE, Sample};
use review_loop::llm::anthropic::Anthropic;
use review_loop::llm::choose::Choice;
use review_loop::llm::replay::Record;
use review_loop::llm::settings::Settings;
use review_loop::llm::{Config, Model as _};
use review_loop::pipeline::{self, Tools};
use review_loop::runtime::{Interrupt, Runtime};
use review_loop_core::outcome::ModelUse;
use review_loop_core::secrets;
use serde_json::{Value, json};

use crate::support::command::Program;
use crate::support::fake::{Fake, Seen};
use crate::support::{Repository, guests, workspace};

/// What the model says: one fault seen by two lenses, by one of them on a wrong line, and two that are not there.
fn answer(seen: &Seen) -> Value {
    let asked = seen.body.to_string();
    let of = |lens: &str| asked.contains(&format!("# {lens}"));
    let (line, loss) = (11, "return full - full * discount // 100");
    if of("Skeptic") && asked.contains("divides by zero") {
        let evidence = "An empty cart returns 0 before anything is divided.";
        return json!({"verdict": "falsified", "evidence": evidence, "quote": "if not cart:", "path": null, "line": null});
    }
    if of("Skeptic") {
        let evidence = "Nothing bounds the discount before it is taken off.";
        return json!({"verdict": "stands", "evidence": evidence, "quote": loss, "path": null, "line": null});
    }
    let found = if of("Adversarial") {
        let pays = "A `discount` above 100 makes `total` negative, so the shop pays the customer.";
        let divides = "`mean_price` divides by zero when the cart is empty.";
        vec![
            finding("edge-case", 90, pays, 3, loss),
            finding("edge-case", 75, divides, 18, "return total(cart) // sum("),
        ]
    } else if of("Ship readiness") {
        let unchecked = "`discount` comes in unchecked: a value above 100 makes `total` negative.";
        vec![finding("untyped-boundary", 80, unchecked, line, loss)]
    } else {
        let fraction = "`checkout` still passes `discount` to `total` as a fraction, so ten percent becomes nothing.";
        vec![finding("contract-gap", 80, fraction, line, "receipt = checkout(cart, fraction=0.1)")]
    };
    json!({"findings": found, "credits": [], "not_examined": []})
}

fn finding(category: &str, confidence: u8, claim: &str, line: u32, quote: &str) -> Value {
    json!({
        "claim": claim, "category": category, "severity": "high", "confidence": confidence, "load_bearing": true,
        "path": "shop/cart.py", "side": "new", "line": line, "end_line": line, "quote": quote,
        "evidence": format!("As the model has it, this is on line {line}."), "fix_hint": null, "replacement": null, "reach": "tactical"
    })
}

/// Reviews the sample with a provider that answers over the wire, and gives what was recorded of it.
async fn record() -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cassette.json");
    let fake = Fake::answering(Duration::ZERO, |seen| answer(seen).to_string());
    let mut settings = Settings::default();
    (settings.anthropic.deep, settings.anthropic.quick) = ("a script".to_owned(), "a script".to_owned());
    let provider = Config { key: Some("k".to_owned()), base_url: Some(fake.url()) };
    let provider = Arc::new(Anthropic::new(&provider, &settings, Arc::new(|| 0.0)).unwrap());
    let model_use = ModelUse::Asked(provider.name());
    let redact = Arc::new(|text: &str| secrets::redact(text).into_owned());
    let model = Arc::new(Record::create(provider, &path, redact).unwrap());

    let Sample { change, config, selection } = Sample::new().unwrap();
    let limits = &config.limits;
    let (runtime, _) = Runtime::new(Some(&guests::cache()), limits.lens(), limits.falsifier()).unwrap();
    let model = Choice { line: String::new(), model_use, model };
    let tools = Tools {
        runtime,
        selection,
        model,
        watch: Arc::new(|_, _| {}),
        interrupt: Interrupt::never(),
        narrowed: Vec::new(),
        notices: Vec::new(),
    };
    pipeline::review(change, tools, &config).await;
    in_order(&fs::read_to_string(path).unwrap())
}

/// Lenses ask at the same time, so that the order in which they are answered means nothing.
fn in_order(cassette: &str) -> String {
    let mut cassette: Value = serde_json::from_str(cassette).unwrap();
    let entries = cassette["entries"].as_array_mut().unwrap();
    entries.sort_by_key(|entry| entry["key"].to_string());
    serde_json::to_string_pretty(&cassette).unwrap() + "\n"
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cassette_is_what_is_recorded_today() {
    let (recorded, path) = (record().await, workspace().join(CASSETTE));
    if env::var_os("UPDATE_DEMO").is_some() {
        fs::write(&path, &recorded).unwrap();
    }
    assert!(
        recorded == fs::read_to_string(&path).unwrap(),
        "{CASSETTE} does not answer what is asked today: UPDATE_DEMO=1 cargo test -p review-loop --test it demo \
         records it again"
    );
}

#[test]
fn it_shows_the_whole_flow_and_ends_well_without_a_repository() {
    let outside = tempfile::tempdir().unwrap();
    let output = Program::new(outside.path()).run(&["demo"]);
    assert_eq!(output.code, Some(0), "{output}");
    let (sample, own) = output.stdout.split_once("\nThere is no commit of yours to review: ").unwrap();
    assert!(own.contains("is not in a git repository"), "{own}");
    let times = regex::Regex::new(r"(?m); \d[\d.hms]*$").unwrap();
    insta::assert_snapshot!(times.replace_all(sample, "; [time]"), @r#"
    A sample change with planted faults, and a model whose answers were recorded

    review-loop: a sample change, 1 file, +16 -4; model: replay of anthropic (a script, quick: a script)
      from the demo's cassette

    shop/cart.py

    high[edge-case]: A `discount` above 100 makes `total` negative, so the shop pays the customer.
      --> shop/cart.py:11:5
       |
     8 |     if not cart:
     9 |         return 0
    10 |     full = sum(item["price"] * item["count"] for item in cart)
    11 |     return full - full * discount // 100
       |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    12 |
    13 |
    14 | def mean_price(cart):
       |
       = evidence: As the model has it, this is on line 3.
       = reported by: adversarial, ship-readiness (judgement, confidence 90)
       = also said: ship-readiness: `discount` comes in unchecked: a value above 100 makes `total`
           negative. (likeness 71; words abov, 100, mak, negativ, discount, total; names discount,
           total; 0 lines apart)
       = held against: grounding and skeptic

    Advisory (2), not holding the change up
      docs/cart.md:3:1: medium[doc-drift]: A document still names the function `average_price` (now
        `mean_price`), which this change removed: readers are sent to what is not there.
        fix: Write `mean_price`.
        advisory: the lens does not call it load-bearing; design-coherence (check, confidence 96)
      shop/cart.py:26:5: medium[silent-failure]: The handler is empty, so an error of `charge` is
        dropped and nothing tells that it happened.
        fix: Handle the error or pass it on; where it does not matter, say so in a comment in the
          handler.
        advisory: the lens does not call it load-bearing; adversarial (check, confidence 95)

    Set aside (2)
      shop/cart.py: high[contract-gap]: `checkout` still passes `discount` to `total` as a fraction, so
        ten percent becomes nothing.
        disproved: grounding: The quoted text `receipt = checkout(cart, fraction=0.1)` stands nowhere:
          not in shop/cart.py, and in no other file, before or after the change.
      shop/cart.py:18:5: high[edge-case]: `mean_price` divides by zero when the cart is empty.
        disproved: skeptic: An empty cart returns 0 before anything is divided. (`if not cart:`)

    Components (5)
      lens design-coherence 0.1.0: done; 42 tokens (20 cached) in 1 call; [time]
      lens adversarial 0.1.0: done; 42 tokens (20 cached) in 1 call; [time]
      lens ship-readiness 0.1.0: done; 42 tokens (20 cached) in 1 call; [time]
      falsifier grounding 0.1.0: done; 0 tokens; [time]
      falsifier skeptic 0.1.0: done; 84 tokens (40 cached) in 2 calls; [time]

    1 high finding, 2 advisory; 210 tokens; [time]
    "#);
}

#[test]
fn it_reviews_the_last_commit_of_the_repository_it_is_run_in() {
    let repository = Repository::with(&[("a.py", "x = 1\n")]);
    repository.write("a.py", "x = 1\nbreakpoint()\n");
    repository.commit_all();
    let output = repository.program().run(&["demo"]);
    assert_eq!(output.code, Some(0), "{output}");
    let own = output.stdout.split_once("Your last commit, with the checks alone").unwrap().1;
    assert!(own.contains("--> a.py:2:1") && own.contains("no model was asked"), "{output}");
}
