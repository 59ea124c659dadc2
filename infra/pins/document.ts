import { advisories, safeFloor } from "@routeql/pins/advisories";
import { type Pin, pins, type ProgramPin, programs } from "@routeql/pins/pins";

const introduction = `# Images and versions

<!-- Generated from infra/pins by \`npm run documents\`; do not edit. -->

These are the images of other projects that a deployment uses by default. The settings \`hasuraImage\`, \`databaseImage\`,
\`sessionsImage\`, \`gatewayImage\`, \`databaseClusterImage\`, \`debianBase\` and \`nodeBase\` name others.

| image | released | supported until | why this one | last reviewed |
|---|---|---|---|---|`;

const programTable = `
## Programs

| program | version | released | supported until | why this one | last reviewed |
|---|---|---|---|---|---|`;

const floors = `
## Safe versions

\`preview\` and \`up\` warn when a setting names a version with a published advisory. The policy \`no-vulnerable-image\` checks every
container. The setting \`vulnerableImages\` turns the warnings into errors (\`refuse\`) or off (\`ignore\`).

A name without a complete version (\`postgres:17\`, a digest alone) cannot be checked.

| program | oldest version without a known advisory, by line |
|---|---|`;

const list = `
## Advisories

| program | advisory | effect | fixed in |
|---|---|---|---|`;

/** docs/reference/images.md */
export function imagesDocument(): string {
  const rows = Object.values<Pin>(pins).map(
    ({ image, released, supportedUntil, why, source, reviewed }) =>
      `| \`${image}\` | ${released} | [${supportedUntil}](${source}) | ${why} | ${reviewed} |`,
  );
  const programRows = Object.values<ProgramPin>(programs).map(
    ({ program, version, released, supportedUntil, why, source, reviewed }) =>
      `| ${program} | ${version} | ${released} | [${supportedUntil ?? "no date published"}](${source}) | ${why} | ${reviewed} |`,
  );
  const advised = [...new Set(advisories.map(({ program }) => program))];
  return [
    introduction,
    ...rows,
    programTable,
    ...programRows,
    floors,
    ...advised.map((program) => `| ${program} | ${safeFloor(program).join(", ")} |`),
    list,
    ...advisories.map(({ program, ids, effect, fixed, since, source }) => {
      const affected = since === undefined ? fixed.join(", ") : `${fixed.join(", ")} (since ${since})`;
      return `| ${program} | [${ids.join(", ")}](${source}) | ${effect} | ${affected} |`;
    }),
    "",
    "Where no registry answers, the images are built from Debian's packages. Debian fixes the same problems in its own versions, so these",
    "numbers do not apply to them. Node then comes from the npm package `node`, which gets security releases later than the image.",
    "",
  ].join("\n");
}
