import { mutations } from "./list.ts";

const introduction = `# Mutations

<!-- Generated from the lists in this repository's mutation suite by \`npm run documents\`; do not edit. -->

The ${mutations.length} deliberate faults that \`npm run test:mutations\` applies to a copy of the source tree, one at a time. For each, a test of the named suite must fail with an assertion.
`;

/** docs/reference/mutations.md */
export function mutationsDocument(): string {
  const rows = mutations.map(
    ({ fault, suite, noticedBy }) => `| ${fault} | \`${suite}\` | ${noticedBy.replaceAll("|", String.raw`\|`)} |`,
  );
  return [
    introduction,
    "| fault | suite | noticed by a test whose title contains |",
    "|---|---|---|",
    ...rows,
    "",
    "Next: [faults and recovery](../design/faults.md).",
    "",
  ].join("\n");
}
