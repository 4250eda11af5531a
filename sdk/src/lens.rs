//! The two things that a component can be, and the macros that export one.

use crate::bindings::falsifier::exports::review_loop::lens::disprover::Verdict;
use crate::types::{Description, Failure, Finding, Report};
use crate::{judgement, manifest};

/// Looks at a subject and reports what is wrong with it.
pub trait Lens {
    /// The text of `LENS.md`: front matter that says what the lens is, then the prompt.
    const MANIFEST: &'static str;

    /// What can be seen with certainty, without a model.
    ///
    /// # Errors
    /// The lens has no report at all; a part that could not be looked at belongs into [`Report::skipped`] instead.
    fn checks() -> Result<Report, Failure> {
        Ok(Report::default())
    }

    /// The whole review: the checks, then the judgement of a model that is told their facts.
    ///
    /// # Errors
    /// The lens has no report at all.
    fn review() -> Result<Report, Failure> {
        Ok(judgement::review(Self::MANIFEST, Self::checks()?))
    }

    /// What the lens says it is. Read from the manifest.
    fn describe() -> Description {
        manifest::description(Self::MANIFEST)
    }
}

#[expect(clippy::derivable_impls, reason = "the type is generated from wit/")]
impl Default for Report {
    fn default() -> Self {
        Self { findings: Vec::new(), credits: Vec::new(), skipped: Vec::new(), approves: None }
    }
}

/// Tries to disprove findings.
pub trait Falsifier {
    /// The text of `LENS.md`: front matter that says what the falsifier is, then the prompt.
    const MANIFEST: &'static str;

    /// One verdict for each finding, in order.
    ///
    /// # Errors
    /// There are no verdicts at all; a single finding that cannot be settled is [`Verdict::Undecided`] instead.
    fn falsify(findings: &[Finding]) -> Result<Vec<Verdict>, Failure>;

    /// What the falsifier says it is. Read from the manifest.
    fn describe() -> Description {
        manifest::description(Self::MANIFEST)
    }
}

/// Exports a type that implements [`Lens`] as the component: its checks and its judgement. Once in a crate.
#[macro_export]
macro_rules! export_lens {
    ($lens:ty) => {
        $crate::export_lens!($lens, review);
    };
    ($lens:ty, $review:ident) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Component;

            impl $crate::bindings::lens::exports::review_loop::lens::reviewer::Guest for Component {
                fn describe() -> $crate::types::Description {
                    <$lens as $crate::Lens>::describe()
                }

                fn review() -> Result<$crate::types::Report, $crate::types::Failure> {
                    <$lens as $crate::Lens>::$review()
                }
            }

    $crate::bindings::lens::export_lens_bindings!(Component with_types_in $crate::bindings::lens);
        };
    };
}

/// Exports the checks alone of a type that implements [`Lens`]. The component does not import the model, so nobody has
/// to trust it with one.
#[macro_export]
macro_rules! export_checker {
    ($lens:ty) => {
        $crate::export_lens!($lens, checks);
    };
}

/// Exports a type that implements [`Falsifier`] as the component. Once in a crate.
#[macro_export]
macro_rules! export_falsifier {
    ($falsifier:ty) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            struct Component;

            impl $crate::bindings::falsifier::exports::review_loop::lens::disprover::Guest for Component {
                fn describe() -> $crate::types::Description {
                    <$falsifier as $crate::Falsifier>::describe()
                }

                fn falsify(
                    findings: Vec<$crate::types::Finding>,
                ) -> Result<
                    Vec<$crate::bindings::falsifier::exports::review_loop::lens::disprover::Verdict>,
                    $crate::types::Failure,
                > {
                    <$falsifier as $crate::Falsifier>::falsify(&findings)
                }
            }

            $crate::bindings::falsifier::export_falsifier_bindings!(
                Component with_types_in $crate::bindings::falsifier
            );
        };
    };
}
