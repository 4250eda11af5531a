//! Components that are refused before they are called.

use std::sync::Arc;

use review_loop::runtime::{Grant, Runtime};
use review_loop_core::outcome::Role;

use super::{limits, runtime, told};
use crate::support::guests;

/// What a person is told of a component that does not load.
fn check_with(runtime: &Runtime, bytes: &Arc<[u8]>, grant: Grant) -> String {
    let executor = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let loaded = executor.block_on(runtime.load(bytes, Role::Lens, grant, &review_loop::lenses::nothing()));
    loaded.map_or_else(|failure| told(&failure), |_| "loaded".to_owned())
}

fn check(bytes: &Arc<[u8]>) -> String {
    check_with(&runtime(), bytes, Grant::default())
}

/// A lens by its exports, with `more` definitions, whose core module has this body.
fn lens(more: &str, core: &str) -> Arc<[u8]> {
    guests::text(&format!(
        r#"(component {more}
            (core module $m {core} (func (export "run")))
            (core instance $i (instantiate $m))
            (func $run (canon lift (core func $i "run")))
            (instance $reviewer (export "describe" (func $run)) (export "review" (func $run)))
            (export "review-loop:lens/reviewer@0.1.0" (instance $reviewer)))"#
    ))
}

#[test]
fn bytes_that_are_no_component() {
    let told = check(&Arc::from(b"not a component".as_slice()));
    assert!(told.starts_with("compile: "), "{told}");
    let module = check(&guests::text("(module)"));
    assert!(module.starts_with("compile: "), "{module}");
    let whole = guests::misbehaving();
    let cut = check(&Arc::from(&whole[..whole.len() / 2]));
    assert!(cut.starts_with("compile: "), "{cut}");
}

#[test]
fn a_component_that_is_too_large() {
    let small = review_loop::runtime::Limits { component_bytes: 10, ..limits() };
    let runtime = Runtime::new(None, small.clone(), small).unwrap().0;
    let told = check_with(&runtime, &lens("", ""), Grant::default());
    assert!(told.starts_with("read: it has ") && told.ends_with("10 is the limit"), "{told}");
}

#[test]
fn a_component_of_another_kind() {
    insta::assert_snapshot!(check(&guests::text("(component)")), @"link: it exports neither `reviewer` nor `disprover` of the contract `review-loop:lens`");
}

#[test]
fn an_import_that_was_not_granted() {
    let model = lens(r#"(import "review-loop:lens/llm@0.1.0" (instance))"#, "");
    insta::assert_snapshot!(check(&model), @r"
    link: it imports `llm`, which was not granted
    hint: grant `llm` to it, or use one that does not need it
    ");
    assert_ne!(check_with(&runtime(), &model, Grant { model: true }), check(&model));
}

#[test]
fn an_import_that_no_component_gets() {
    insta::assert_snapshot!(check(&lens(r#"(import "wasi:sockets/network@0.2.6" (instance))"#, "")), @r"
    link: it imports `wasi:sockets/network@0.2.6`, which no component gets
    hint: build it without network access (`--stub-wasi` in many toolchains)
    ");
    let other = check(&lens(r#"(import "acme:keys/steal@1.0.0" (instance))"#, ""));
    assert!(other.starts_with("link: it imports `acme:keys/steal@1.0.0`"), "{other}");
}

#[test]
fn a_component_of_another_contract() {
    insta::assert_snapshot!(check(&lens(r#"(import "review-loop:lens/log@0.2.0" (instance))"#, "")), @r"
    link: it was built for version 0.2.0 of the contract; this host speaks 0.1
    hint: use a build of it for this host, or the host it was built for
    ");
}

#[test]
fn one_that_takes_more_than_its_share_before_it_runs() {
    insta::assert_snapshot!(check(&lens("", "(memory 32768)")), @"instantiate: it asked for more than 32 MiB of memory");
    insta::assert_snapshot!(check(&lens("", "(table 1000000 funcref)")), @"instantiate: it asked for a table larger than the limit");
    let told = check(&lens("", "(func $s (loop $l br $l)) (start $s)"));
    assert_eq!(told, "instantiate: it computed for more than 2 s");
    let many = "(core instance (instantiate $n)) ".repeat(100);
    let told = check(&lens(&format!("(core module $n (memory 1)) {many}"), ""));
    assert!(told.starts_with("instantiate: "), "{told}");
}

#[test]
fn one_whose_types_are_not_the_contracts() {
    let told = check(&lens("", ""));
    assert!(told.starts_with("instantiate: "), "{told}");
}
