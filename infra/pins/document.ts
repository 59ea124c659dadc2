import { advisories, safeFloor } from "@routeql/pins/advisories";
import { type Pin, pins } from "@routeql/pins/pins";

const introduction = `# Images and versions

<!-- Generated from infra/pins by \`npm run documents\`; do not edit. -->

Default images of other projects, and the versions that are safe. [Settings](settings.md) such as \`hasuraImage\` name others.

| image | released | supported until |
|---|---|---|`;

const floors = `
## Safe versions

\`preview\` and \`up\` warn about versions with [published advisories](../../packages/pins/advisories.ts); \`vulnerableImages=refuse\` turns the
warnings into errors. A name without a complete version (\`postgres:17\`, a digest alone) cannot be checked.

Oldest version without a known advisory, by line:
`;

/** docs/reference/images.md */
export function imagesDocument(): string {
  const rows = Object.values<Pin>(pins).map(
    ({ image, released, supportedUntil, source }) => `| \`${image}\` | ${released} | [${supportedUntil}](${source}) |`,
  );
  const advised = [...new Set(advisories.map(({ program }) => program))];
  return [
    introduction,
    ...rows,
    floors,
    ...advised.map((program) => `- ${program}: ${safeFloor(program).join(", ")}`),
    "",
    "These numbers do not apply to images built from Debian's packages: Debian fixes the same problems in its own versions. Without a registry",
    "Node comes from the npm package `node`, which gets security releases later.",
    "",
  ].join("\n");
}
