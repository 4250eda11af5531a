//! What `wit/` says, in Rust. Nothing here is written by hand.
#![allow(missing_docs, unreachable_pub, unsafe_code, clippy::all, clippy::pedantic, reason = "generated")]

/// World `lens`; a component imports only those of its interfaces that it uses.
pub mod lens {
    wit_bindgen::generate!({
        path: "../wit",
        world: "lens",
        pub_export_macro: true,
        export_macro_name: "export_lens_bindings",
        default_bindings_module: "review_loop_sdk::bindings::lens",
        additional_derives: [PartialEq],
        generate_all,
    });
}

/// World `falsifier`, with the types of world `lens`.
pub mod falsifier {
    wit_bindgen::generate!({
        path: "../wit",
        world: "falsifier",
        pub_export_macro: true,
        export_macro_name: "export_falsifier_bindings",
        default_bindings_module: "review_loop_sdk::bindings::falsifier",
        additional_derives: [PartialEq],
        with: {
            "review-loop:lens/types@0.1.0": crate::bindings::lens::review_loop::lens::types,
            "review-loop:lens/subject@0.1.0": crate::bindings::lens::review_loop::lens::subject,
            "review-loop:lens/source@0.1.0": crate::bindings::lens::review_loop::lens::source,
            "review-loop:lens/llm@0.1.0": crate::bindings::lens::review_loop::lens::llm,
            "review-loop:lens/log@0.1.0": crate::bindings::lens::review_loop::lens::log,
        },
    });
}
