/** The configuration for detection of a feed: a file that the operator writes. A relative path starts from the project. */
import { resolve } from "node:path";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { readConfiguration } from "@routeql/routing/judging/configuration/read-configuration";
import { ConfigurationError } from "@routeql/routing/judging/configuration/problems";
import type { Check } from "./setting.ts";

export const configurationText = (written: string): string =>
  readText(resolve(import.meta.dirname, "../../..", written));

function configurationProblem(written: string): string | undefined {
  try {
    readConfiguration(configurationText(written), written);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) return `is wrong: ${error.message.replaceAll("\n", "; ")}`;
    if (error instanceof UnreadableText) return error.message;
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `cannot be read (${code})`;
  }
}

export const feedConfiguration: { check: Check<"file">; allowed: string } = {
  check: configurationProblem,
  allowed: "a file that npm run detect accepts",
};
