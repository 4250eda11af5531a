//! JSON schemas, cut to what a provider can hold a reply to. A component reads its reply strictly itself: here a
//! schema only spares the model mistakes.

use serde_json::{Map, Value};

/// Words that the Messages API refuses in a schema: limits that its decoder does not keep.
const REFUSED: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "minItems",
    "$schema",
];

/// The schema without the words that the Messages API refuses, and with every object closed, which it demands.
pub(super) fn for_anthropic(mut schema: Value) -> Value {
    each_schema(&mut schema, &mut |object| {
        object.retain(|key, _| !REFUSED.contains(&key.as_str()));
        if is_object(object) {
            object.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
    });
    schema
}

/// Whether OpenAI's strict mode takes the schema: every object closed, every property required.
pub(super) fn is_strict(schema: &Value) -> bool {
    let (mut copy, mut strict) = (schema.clone(), true);
    each_schema(&mut copy, &mut |object| {
        let closed = object.get("additionalProperties") == Some(&Value::Bool(false));
        let required = object.get("required").and_then(Value::as_array);
        let names = object.get("properties").and_then(Value::as_object);
        let all = names.is_none_or(|n| required.is_some_and(|r| n.keys().all(|k| r.iter().any(|v| v == k))));
        strict &= !is_object(object) || (closed && all);
    });
    strict
}

fn is_object(schema: &Map<String, Value>) -> bool {
    schema.contains_key("properties") || schema.get("type").is_some_and(|t| t == "object")
}

/// Calls `f` with every schema inside a schema, outermost first. Names of properties are not mistaken for keywords.
/// The depth is bounded by the JSON parser that read it.
fn each_schema(schema: &mut Value, f: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(object) = schema else { return };
    f(object);
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                named.values_mut().for_each(|s| each_schema(s, f));
            }
            ("anyOf" | "allOf" | "oneOf" | "prefixItems", Value::Array(all)) => {
                all.iter_mut().for_each(|s| each_schema(s, f));
            }
            ("items" | "additionalProperties" | "not", inner) => each_schema(inner, f),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_go_and_objects_are_closed() {
        let schema = json!({"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 0, "maximum": 100},
            "all": {"type": "array", "maxItems": 9, "items": {"type": "object", "properties": {}}}}});
        let expect = json!({"type": "object", "properties": {"minimum": {"type": "integer"},
            "all": {"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": false}}},
            "additionalProperties": false});
        assert_eq!(for_anthropic(schema), expect);
    }

    #[test]
    fn strict_means_closed_and_required() {
        let strict = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false});
        assert!(is_strict(&strict));
        assert!(!is_strict(
            &json!({"type": "object", "properties": {"a": {}}, "required": [], "additionalProperties": false})
        ));
        assert!(!is_strict(&json!({"type": "array", "items": {"type": "object"}})));
    }
}
