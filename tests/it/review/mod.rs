//! The main job, whole: a real repository, the real program, the real components.

mod cache;
mod checks_alone;
mod configuration;
mod interrupt;
mod planted;
mod verdicts;
mod with_a_model;

use crate::support::Repository;

/// A small project with one commit.
const BEFORE: &str = "\
import { test } from 'node:test';
import assert from 'node:assert';
import { total } from './total.js';

test('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});
";

/// The same test, focused: every other one is skipped by it.
const FOCUSED: &str = "\
import { test } from 'node:test';
import assert from 'node:assert';
import { total } from './total.js';

test.only('an empty cart costs nothing', () => {
  assert.equal(total([]), 0);
});
";

/// A project with uncommitted work in which there is nothing to find.
fn harmless() -> Repository {
    let repository = Repository::with(&[("src/total.test.js", BEFORE), ("src/total.js", TOTAL)]);
    repository.write("src/total.js", TOTAL.replace("sum + price", "sum + price * 1"));
    repository
}

/// A project with uncommitted work that a check finds fault with.
fn faulty() -> Repository {
    let repository = Repository::with(&[("src/total.test.js", BEFORE), ("src/total.js", TOTAL)]);
    repository.write("src/total.test.js", FOCUSED);
    repository
}

const TOTAL: &str = "\
export function total(prices) {
  return prices.reduce((sum, price) => sum + price, 0);
}
";
