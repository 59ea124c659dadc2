import { advisories, safeFloor } from "@routeql/pins/advisories";
import { type Pin, pins, type ProgramPin, programs } from "@routeql/pins/pins";

const introduction = `# Images and versions

<!-- Generated from infra/pins by \`npm run documents\`; do not edit. -->

These are the images of other projects that a deployment uses by default. The settings \`hasuraImage\`, \`databaseImage\`,
\`sessionsImage\`, \`gatewayImage\`, \`databaseClusterImage\`, \`debianBase\` and \`nodeBase\` name others.

| image | released | supported until | why this one |
|---|---|---|---|`;

const programTable = `
## Programs

| program | version | released | supported until |
|---|---|---|---|`;

const floors = `
## Safe versions

\`preview\` and \`up\` warn when a setting names a version with a published advisory. The policy \`no-vulnerable-image\` checks every
container. The setting \`vulnerableImages\` turns the warnings into errors (\`refuse\`) or off (\`ignore\`).

A name without a complete version (\`postgres:17\`, a digest alone) cannot be checked.
[advisories.ts](../../packages/pins/advisories.ts) has each advisory with its effect and source.

| program | oldest version without a known advisory, by line |
|---|---|`;

/** docs/reference/images.md */
export function imagesDocument(): string {
  const rows = Object.values<Pin>(pins).map(
    ({ image, released, supportedUntil, why, source }) =>
      `| \`${image}\` | ${released} | [${supportedUntil}](${source}) | ${why} |`,
  );
  const programRows = Object.values<ProgramPin>(programs).map(
    ({ program, version, released, supportedUntil, source }) =>
      `| ${program} | ${version} | ${released} | [${supportedUntil ?? "no date published"}](${source}) |`,
  );
  const advised = [...new Set(advisories.map(({ program }) => program))];
  return [
    introduction,
    ...rows,
    programTable,
    ...programRows,
    floors,
    ...advised.map((program) => `| ${program} | ${safeFloor(program).join(", ")} |`),
    "",
    "Where no registry answers, the images are built from Debian's packages. Debian fixes the same problems in its own versions, so these",
    "numbers do not apply to them. Node then comes from the npm package `node`, which gets security releases later than the image.",
    "",
  ].join("\n");
}
