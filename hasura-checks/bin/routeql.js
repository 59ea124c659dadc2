#!/usr/bin/env node
// The older name of the command.
const words = process.argv.slice(2).map((word, index) => (index === 0 && word === "check" ? "lint" : word));
process.stderr.write(`hint: this command is now hasura-checks: npx hasura-checks ${words.slice(0, 1).join(" ")}\n`);
await import("./hasura-checks.js");
