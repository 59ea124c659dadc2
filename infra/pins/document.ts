import { safeFloor } from "@routeql/pins/advisories";
import { type Pin, pins } from "@routeql/pins/pins";

const introduction = `# Images and versions

<!-- Generated from infra/pins by \`npm run documents\`; do not edit. -->

Default images of other projects. [Settings](settings.md) such as \`hasuraImage\` name others.

| image | released | supported until |
|---|---|---|`;

const floors = `
[Trivy](https://trivy.dev) and [Grype](https://github.com/anchore/grype) report the published advisories of these images and of those built here.
`;

/** docs/reference/images.md */
export function imagesDocument(): string {
  const rows = Object.values<Pin>(pins).map(
    ({ image, released, supportedUntil, source }) => `| \`${image}\` | ${released} | [${supportedUntil}](${source}) |`,
  );
  return [
    introduction,
    ...rows,
    floors,
    `The oldest versions of Hasura without a known advisory about permissions are ${safeFloor("hasura").join(" and ")}. Without a registry Node comes from the npm`,
    "package `node`, which gets security releases later.",
    "",
  ].join("\n");
}
