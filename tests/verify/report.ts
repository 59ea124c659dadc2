import type { SuiteResult } from "../runner/results.ts";
import { totals } from "../runner/results.ts";
import type { RunningImage } from "./images.ts";

export interface Verified {
  /** Version of the kit. */
  readonly version: string;
  /** Versions of Docker, the operating system and Node. */
  readonly machine: string;
  readonly engine: string;
  readonly images: readonly RunningImage[];
  readonly results: readonly SuiteResult[];
  /** Secrets of the stack. The report contains none of them. */
  readonly secrets: readonly string[];
}

/** Secrets in requests and answers of failed tests: tokens (RFC 7519), and hexadecimal or base64url texts of their length. */
const secretLike = /\beyJ[\w-]+\.[\w-]+\.[\w-]+|\b[\w-]{40,}\b/g;

/** The report in Markdown. Failed tests are listed with the request and the answer that their assertion shows. */
export function report({ version, machine, engine, images, results, secrets }: Verified): string {
  const withoutSecrets = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text).replaceAll(secretLike, "[removed]");
  const failed = results.flatMap(({ tests }) => tests.filter(({ state }) => state === "failed"));
  const skipped = results.flatMap(({ tests }) => tests.filter(({ state }) => state === "skipped"));
  return [
    `# RouteQL ${version} with the engine ${engine}`,
    "",
    machine,
    "",
    "| service | image | digest |",
    "|---|---|---|",
    ...images.map(({ service, name, digest }) => `| ${service} | \`${name}\` | \`${digest}\` |`),
    "",
    "| suite | passed | failed | skipped | seconds |",
    "|---|---|---|---|---|",
    ...results.map((result) => {
      const { passed, failed: failures, skipped: skips } = totals([result]);
      return `| ${result.suite} | ${passed} | ${failures} | ${skips} | ${result.seconds.toFixed(0)} |`;
    }),
    "",
    ...failed.flatMap(({ title, reason = "", place }) => [
      `## ${title}`,
      "",
      "```text",
      withoutSecrets(reason),
      ...(place === undefined ? [] : [place]),
      "```",
      "",
    ]),
    ...(skipped.length === 0
      ? []
      : ["## Skipped", "", ...skipped.map(({ title, reason = "no reason given" }) => `- ${title}: ${reason}`), ""]),
  ].join("\n");
}
