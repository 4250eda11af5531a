//! What a provider answers, as a lens gets it; and what it is asked.

use std::time::Duration;

use insta::assert_snapshot;
use review_loop::llm::{Message, Part, Role, Stop, Tier, Tool, ToolResult};
use serde_json::{Value, json};

use super::fake::{BOTH, Fake, Protocol, Steps, anthropic, openai, reply};
use super::{KEY, ask, brief, model, request, settings, told};

async fn answer(protocol: Protocol, steps: Steps) -> String {
    let fake = Fake::start(move |_| steps.clone());
    told(&ask(protocol, &fake, &settings(), &request()).await)
}

async fn messages(blocks: &[Value], stop: &str) -> String {
    answer(Protocol::Anthropic, Steps::events(&anthropic(blocks, stop))).await
}

async fn chat(delta: Value, finish: &str) -> String {
    answer(Protocol::OpenAi, openai(&delta, finish)).await
}

#[tokio::test]
async fn a_text_is_an_answer_and_every_token_is_counted() {
    assert_snapshot!(messages(&[json!({"type": "text", "text": "All göod."})], "end_turn").await, @r#"End ["All göod."] 15+20+7"#);
    assert_snapshot!(chat(json!({"content": "All göod."}), "stop").await, @r#"End ["All göod."] 10+20+7"#);
}

#[tokio::test]
async fn refused_cut_off_and_unknown_ends_are_no_answers() {
    let text = [json!({"type": "text", "text": "I"})];
    assert_snapshot!(messages(&text, "refusal").await, @r#"Refusal ["I"] 15+20+7"#);
    assert_snapshot!(messages(&[], "refusal").await, @"Refusal [] 15+20+7");
    assert_snapshot!(messages(&text, "max_tokens").await, @r#"MaxTokens ["I"] 15+20+7"#);
    assert_snapshot!(messages(&text, "model_context_window_exceeded").await, @r#"MaxTokens ["I"] 15+20+7"#);
    assert_snapshot!(messages(&text, "pause_turn").await, @r#"Other ["I"] 15+20+7"#);
    assert_snapshot!(chat(json!({"content": "I"}), "length").await, @r#"MaxTokens ["I"] 10+20+7"#);
    assert_snapshot!(chat(json!({"content": "I"}), "content_filter").await, @r#"Refusal ["I"] 10+20+7"#);
    assert_snapshot!(chat(json!({"refusal": "No."}), "stop").await, @r#"Refusal ["No."] 10+20+7"#);
    assert_snapshot!(chat(json!({"content": "I"}), "surprise").await, @r#"Other ["I"] 10+20+7"#);
}

#[tokio::test]
async fn an_empty_reply_is_an_error() {
    for steps in
        [messages(&[], "end_turn").await, messages(&[json!({"type": "text", "text": " \n"})], "end_turn").await]
    {
        assert_eq!(steps, "error: the model's reply is empty");
    }
    assert_eq!(chat(json!({"content": null}), "stop").await, "error: the model's reply is empty");
}

#[tokio::test]
async fn tool_calls_are_read_whole_or_not_at_all() {
    let call = |input: Value| [json!({"type": "tool_use", "id": "t1", "name": "read", "input": input})];
    assert_snapshot!(messages(&call(json!({"path": "a.rs"})), "tool_use").await, @r#"ToolUse [read({"path":"a.rs"})#t1] 15+20+7"#);
    assert_snapshot!(messages(&call(json!("")), "tool_use").await, @"ToolUse [read({})#t1] 15+20+7");
    assert_snapshot!(messages(&call(json!("{\"path")), "tool_use").await, @"error: the reply cannot be read: the input of a tool call is not a JSON object");
    assert_snapshot!(messages(&call(json!("{\"path")), "max_tokens").await, @"MaxTokens [] 15+20+7");
    let call = |arguments: Value| json!({"tool_calls": [{"index": 0, "id": "t1", "type": "function", "function": {"name": "read", "arguments": arguments}}]});
    assert_snapshot!(chat(call(json!("{\"path\":\"a.rs\"}")), "tool_calls").await, @r#"ToolUse [read({"path":"a.rs"})#t1] 10+20+7"#);
    assert_snapshot!(chat(call(json!({"path": 1})), "stop").await, @r#"ToolUse [read({"path":1})#t1] 10+20+7"#);
    assert_snapshot!(chat(call(json!("[]")), "tool_calls").await, @"error: the reply cannot be read: the input of a tool call is not a JSON object");
    assert_snapshot!(chat(call(json!("{")), "length").await, @"MaxTokens [] 10+20+7");
}

#[tokio::test]
async fn servers_that_do_not_stream_are_understood() {
    let whole = json!({"type": "message", "content": [{"type": "text", "text": "Yes."}, {"type": "tool_use", "id": "t", "name": "n", "input": {"a": 1}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}});
    assert_snapshot!(answer(Protocol::Anthropic, Steps::json(200, &whole)).await, @r#"ToolUse ["Yes.", n({"a":1})#t] 3+0+4"#);
    let whole = json!({"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}});
    assert_snapshot!(answer(Protocol::OpenAi, Steps::json(200, &whole)).await, @r#"End ["Yes."] 3+0+4"#);
}

#[tokio::test]
async fn the_brief_comes_first_and_is_marked_to_be_cached() {
    let fake = Fake::answering(Duration::ZERO, |_| "ok".to_owned());
    for protocol in BOTH {
        ask(protocol, &fake, &settings(), &request()).await.unwrap();
    }
    let seen = fake.seen();
    assert_eq!(seen[0].path, "/v1/messages");
    assert_snapshot!(serde_json::to_string(&seen[0].body).unwrap(), @r#"{"model":"claude-opus-5-5","max_tokens":16100,"stream":true,"system":[{"type":"text","text":"THE BRIEF","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Look hard."}],"messages":[{"role":"user","content":[{"type":"text","text":"Go."}]}]}"#);
    assert_eq!((&*seen[0].headers["x-api-key"], &*seen[0].headers["anthropic-version"]), (KEY, "2023-06-01"));
    assert_eq!(seen[1].path, "/v1/chat/completions");
    assert_snapshot!(serde_json::to_string(&seen[1].body).unwrap(), @r#"{"model":"gpt-5.5","messages":[{"role":"system","content":"THE BRIEF\n\nLook hard."},{"role":"user","content":"Go."}],"stream":true,"stream_options":{"include_usage":true},"max_tokens":100}"#);
    assert_eq!(seen[1].headers["authorization"], format!("Bearer {KEY}"));
}

#[tokio::test]
async fn no_more_is_asked_for_than_the_settings_allow() {
    let fake = Fake::answering(Duration::ZERO, |_| "ok".to_owned());
    let mut short = settings();
    short.reply.max_output_tokens = 60;
    for protocol in BOTH {
        ask(protocol, &fake, &short, &request()).await.unwrap();
    }
    assert!(fake.seen().iter().all(|seen| seen.body["max_tokens"] == 60));
}

#[tokio::test]
async fn a_schema_is_given_to_the_provider_in_its_own_terms() {
    let fake = Fake::start(|seen| reply(seen, "{}"));
    let mut asked = request();
    asked.tier = Tier::Quick;
    asked.schema = Some(r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0}}}"#.to_owned());
    for protocol in BOTH {
        ask(protocol, &fake, &settings(), &asked).await.unwrap();
    }
    let seen = fake.seen();
    assert_eq!(seen[0].body["model"], "claude-haiku-5-5");
    assert_snapshot!(seen[0].body["output_config"].to_string(), @r#"{"format":{"type":"json_schema","schema":{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}}}"#);
    assert_eq!(seen[1].body["model"], "gpt-5.4-mini");
    assert_snapshot!(seen[1].body["response_format"].to_string(), @r#"{"type":"json_schema","json_schema":{"name":"reply","schema":{"type":"object","properties":{"n":{"type":"integer","minimum":0}}},"strict":false}}"#);
}

#[tokio::test]
async fn a_server_without_schemas_is_told_in_words_from_then_on() {
    for protocol in BOTH {
        let fake = Fake::start(|seen| {
            let field = ["output_config", "response_format"].into_iter().find(|f| !seen.body[*f].is_null());
            let refused = |f| Steps::json(400, &json!({"error": {"message": format!("{f}: unknown field")}}));
            field.map_or_else(|| reply(seen, "{}"), refused)
        });
        let model = model(protocol, &fake, &settings());
        let mut asked = request();
        asked.schema = Some(r#"{"type":"object"}"#.to_owned());
        for _ in 0..2 {
            model.complete(&brief(), &asked).await.unwrap();
        }
        let seen = fake.seen();
        assert_eq!(seen.len(), 3, "refused once, then never sent again");
        assert!(seen[2].body.to_string().contains(r#"fits this JSON schema"#), "{}", seen[2].body);
    }
}

#[tokio::test]
async fn a_tool_round_trip_returns_what_the_provider_wants_to_see_again() {
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"});
    let call = json!({"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.rs"}});
    let content = json!([thought, {"type": "text", "text": "Let me see."}, call]);
    let first = anthropic(content.as_array().unwrap(), "tool_use");
    let fake = Fake::start(move |seen| match (seen.number, seen.protocol()) {
        (0, _) => Steps::events(&first),
        (2, _) => openai(
            &json!({"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "read", "arguments": "{\"path\":\"a.rs\"}"}}]}),
            "tool_calls",
        ),
        _ => reply(seen, "done"),
    });
    for protocol in BOTH {
        let model = model(protocol, &fake, &settings());
        let mut asked = request();
        let input_schema = r#"{"type":"object"}"#.to_owned();
        asked.tools.push(Tool { name: "read".to_owned(), description: "Reads a file.".to_owned(), input_schema });
        let answer = model.complete(&brief(), &asked).await.unwrap();
        assert_eq!(answer.stop, Stop::ToolUse);
        asked.messages.push(Message { role: Role::Assistant, parts: answer.parts });
        let result =
            Part::ToolResult(ToolResult { id: "t1".to_owned(), output: "no such file".to_owned(), failed: true });
        asked.messages.push(Message { role: Role::User, parts: vec![Part::Text("Here.".to_owned()), result] });
        assert_eq!(told(&model.complete(&brief(), &asked).await).split(' ').next(), Some("End"));
    }
    let seen = fake.seen();
    assert_eq!(seen[1].body["messages"][1]["content"], content);
    assert_snapshot!(seen[1].body["messages"][2]["content"].to_string(), @r#"[{"type":"tool_result","tool_use_id":"t1","content":"no such file","is_error":true},{"type":"text","text":"Here.","cache_control":{"type":"ephemeral"}}]"#);
    assert_snapshot!(seen[3].body["messages"].as_array().unwrap()[2..].iter().map(Value::to_string).collect::<Vec<_>>().join("\n"), @r#"
    {"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.rs\"}"}}]}
    {"role":"tool","tool_call_id":"t1","content":"Error: no such file"}
    {"role":"user","content":"Here."}
    "#);
}

#[tokio::test]
async fn requests_that_cannot_be_read_are_not_sent() {
    let fake = Fake::start(|seen| reply(seen, "ok"));
    let check = async |change: &dyn Fn(&mut review_loop::llm::Request)| {
        let mut asked = request();
        change(&mut asked);
        told(&ask(Protocol::Anthropic, &fake, &settings(), &asked).await)
    };
    assert_snapshot!(check(&|r| r.messages.clear()).await, @"error: the request is not valid: the last message is not the user's");
    assert_snapshot!(check(&|r| r.schema = Some("{".to_owned())).await, @"error: the request is not valid: the schema is not JSON: EOF while parsing an object at line 1 column 1");
    assert_snapshot!(check(&|r| r.max_output_tokens = 0).await, @"error: the request is not valid: max-output-tokens is 0");
    assert_snapshot!(check(&|r| r.messages[0].parts.clear()).await, @"error: the request is not valid: a message has no parts");
    assert_snapshot!(check(&|r| r.instructions = "x".repeat(17 << 20)).await, @"error: the request is too large: 17825804 bytes; at most 16777216 are sent");
    assert!(fake.seen().is_empty());
}
