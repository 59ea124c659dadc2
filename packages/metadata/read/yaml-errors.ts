/** Reasons why a text is not YAML, in words that name the usual mistakes. */

const conflictMarker = /^(<{7}|={7}|>{7})(?: |$)/m;

/** Reasons in words of the parser, and better ones. */
const usual: readonly (readonly [parser: RegExp, better: (reason: string) => string])[] = [
  [/^Alias cannot be an empty string/, () => "a value begins with *. Put it into quotes"],
  [
    /cannot start with reserved character|cannot start with directive/,
    (reason) => `${reason}. Put the value into quotes`,
  ],
  [/^Implicit keys need|^Implicit map keys need/, () => "a line has no colon with a space (name: value)"],
  [
    /^Nested mappings are not allowed/,
    () =>
      "a value contains a colon with a space, or the line after it begins further right. Put the value into quotes, or align the lines",
  ],
  [/^Unexpected scalar at node end/, () => "text follows the end of a value. Write a quote within quotes twice"],
  [/^Invalid escape sequence/, (reason) => `${reason}. Put the value into single quotes`],
];
const ofTemplate = /^(Unexpected scalar|Missing|Flow map|Block collections)/;

/** @param message of the parser, with the position and an excerpt behind its first line */
export function reasonOf(message: string, text: string): string {
  if (conflictMarker.test(text)) return "contains a conflict marker of git. Resolve the conflict";
  const reason = (message.split("\n")[0] ?? "not YAML").replace(/ at line \d+, column \d+:$/, "");
  const better = usual.find(([parser]) => parser.test(reason))?.[1];
  if (better !== undefined) return better(reason);
  const isTemplate = ofTemplate.test(reason) && /[:-] +\{\{/.test(text);
  return isTemplate ? `${reason}. Put a value that begins with {{ into quotes` : reason;
}
