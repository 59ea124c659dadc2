import type { Setting } from "../setting.ts";

/** The setting's type in a reader's words. */
export function typeInWords({ type }: Setting): string {
  return { text: "text", number: "whole number", flag: "true or false", secret: "secret text", file: "path of a file" }[type];
}

/** What holds when nothing is given, without a full stop. */
export function defaultInWords({ generated, default: byDefault, defaultIn = {} }: Setting): string {
  if (generated === true) return "generated";
  if (byDefault === undefined) return "none";
  const exceptions = Object.entries(defaultIn).map(([stack, value]) => `; \`${value}\` in the stack \`${stack}\``);
  return `\`${byDefault}\`${exceptions.join("")}`;
}
