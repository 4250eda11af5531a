use proptest::prelude::*;

use super::*;

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn what_is_no_answer_is_refused_with_its_place() {
    assert_eq!(refused(r#"{"a": NaN}"#), "a JSON value was expected, near `NaN}`");
    assert_eq!(refused(r#"{"a": 1, "a": 2}"#), "a field stands twice, near `: 2}`");
    assert_eq!(refused(r#""\ud800""#), "a string holds half of a surrogate pair, near `\"`");
    assert_eq!(refused(r#""\ud800\u0041""#), "a string holds half of a surrogate pair, near `\"`");
    assert_eq!(refused(&"[".repeat(1_000_000)), "it is nested too deep, near `[[[[[[[[[[[[[[[[[[[[[[[[`");
    assert_eq!(refused("{\"a\": \"x\ny\"}"), "a string holds a control character, near `\ny\"}`");
    assert_eq!(refused("[1, 2"), "a `,` or `]` was expected");
    assert_eq!(refused("01"), "a number is not written as JSON writes one");
    assert_eq!(refused("{} {}"), "there is text behind the JSON, near `{}`");
}

#[test]
fn strings_are_unescaped() {
    assert_eq!(read(r#""a\n\"\u00e9\ud83d\ude00\/""#).unwrap(), Value::Text("a\n\"é😀/".to_owned()));
}

#[test]
fn an_answer_is_found_in_fences_and_prose() {
    let answer = Value::Object(vec![("a".to_owned(), Value::List(Vec::new()))]);
    for text in [
        r#"{"a": []}"#,
        "Here is {my} answer:\n```json\n{\"a\": []}\n```\nDone {}.",
        r#"In `{"b": x}` there is "nothing": {"a": []}"#,
        r#"{"b": {"a": 1}} {"a": []}"#,
    ] {
        assert_eq!(extract(text, "a"), Ok(answer.clone()), "{text}");
    }
}

#[test]
fn an_answer_that_is_not_whole_or_not_alone_is_none() {
    let refused = |text| extract(text, "a").unwrap_err().to_string();
    assert_eq!(refused(""), "there is no JSON object with the fields asked for");
    assert_eq!(refused(r#"{"b": {"a": []}}"#), "there is no JSON object with the fields asked for");
    assert_eq!(refused(r#"{"a": []} {"a": []}"#), "there is more than one answer");
    assert_eq!(refused(r#"{"b": {"a": []}, "a": [1"#), "a `,` or `]` was expected");
    assert_eq!(refused(r#"{"b": nan, "c": {"a": []}}"#), "a JSON value was expected, near `nan, \"c\": {\"a\": []}}`");
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        ".*".prop_map(serde_json::Value::String),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(serde_json::Value::Array),
            prop::collection::hash_map(".*", inner, 0..6).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Other;
    match (ours, theirs) {
        (Value::Null, Other::Null) => true,
        (Value::Bool(a), Other::Bool(b)) => a == b,
        (Value::Number(a), Other::Number(b)) => a.parse::<f64>().ok() == b.as_f64(),
        (Value::Text(a), Other::String(b)) => a == b,
        (Value::List(a), Other::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Other::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => false,
    }
}

proptest! {
    #[test]
    fn whatever_a_library_writes_is_read(value in json(), before in "[^{]*", after in "[^{]*") {
        let written = serde_json::to_string_pretty(&value).unwrap();
        prop_assert!(same(&read(&written).unwrap(), &value));
        let answer = serde_json::json!({ "answer": value });
        let found = extract(&format!("{before}{answer}{after}"), "answer");
        prop_assert_eq!(found.is_ok(), !value.is_null());
    }

    #[test]
    fn what_is_read_a_library_reads_too(text in r#"[ {}\[\]":,0-9a-z\\.eE+-]{0,40}"#) {
        if let Ok(value) = read(&text) {
            let overflow = text.contains(['e', 'E']);
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert!(overflow || theirs.is_ok_and(|theirs| same(&value, &theirs)));
        } else if let Ok(theirs) = serde_json::from_str::<serde_json::Value>(&text) {
            // The library keeps the last of two fields with one name.
            prop_assert!(theirs.is_object() || theirs.is_array());
        }
    }

    #[test]
    fn no_text_is_a_panic(text in any::<String>(), cut in 0_usize..200) {
        let _ = read(&text);
        let reply = format!("{{\"findings\": [{text}]}}");
        let _ = extract(reply.get(..cut).unwrap_or(&reply), "findings");
    }
}
