import type { Step } from "./effects.ts";
import type { EngineEvent, OpMap } from "@pulumi/pulumi/automation/index.js";

const verbs: Readonly<Record<string, string>> = {
  create: "creating",
  update: "updating",
  delete: "deleting",
  replace: "replacing",
  "create-replacement": "replacing",
  "delete-replaced": "deleting the old",
  refresh: "looking at",
  read: "reading",
};

/** `urn:…::docker:index/container:Container::engine` → `Container engine`. */
function describeUrn(urn: string): string {
  const [, , type = "", name = ""] = urn.split("::");
  return `${type.split(":").at(-1)} ${name}`;
}

const firstOf = (texts: readonly string[], most: number, separator: string): string =>
  [...texts.slice(0, most), ...(texts.length > most ? ["…"] : [])].join(separator);

/** Follows the events of an update: its progress and its errors. */
export class Progress {
  readonly #active = new Map<string, string>();
  /** Resources by the message of their error. */
  readonly #errors = new Map<string, Set<string>>();
  readonly steps: Step[] = [];
  readonly #say: (text: string) => void;
  #waitsFor: readonly string[] = [];
  #done = 0;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Messages of error diagnostics, each once, with their resources. */
  get errors(): readonly string[] {
    return [...this.#errors].map(([message, resources]) => {
      const [first, ...others] = resources;
      if (first === undefined) return message;
      return `${first}${others.length === 0 ? "" : ` and ${others.length} more`}: ${message}`;
    });
  }

  readonly onEvent = (event: EngineEvent): void => {
    const step = event.resourcePreEvent?.metadata;
    if (step) this.steps.push(step);
    if (step && verbs[step.op]) {
      this.#active.set(step.urn, `${verbs[step.op]} ${describeUrn(step.urn)}`);
      this.#show();
    }
    const ended = event.resOutputsEvent?.metadata ?? event.resOpFailedEvent?.metadata;
    if (ended && this.#active.delete(ended.urn)) {
      this.#done++;
      this.#show();
    }
    const { diagnosticEvent: diagnostic } = event;
    if (diagnostic?.severity === "error") {
      const message = withoutRepetition(stripColours(diagnostic.message).trim());
      if (message !== "" && message !== "update failed") {
        const resources = this.#errors.get(message) ?? new Set();
        if (diagnostic.urn) resources.add(describeUrn(diagnostic.urn));
        this.#errors.set(message, resources);
      }
    }
  };

  /** Shows why the current resources are not ready yet; without a reason, nothing changes on the screen. */
  readonly waitsFor = (reasons: readonly string[]): void => {
    this.#waitsFor = reasons;
    if (reasons.length > 0) this.#show();
  };

  #show(): void {
    const active = [...this.#active.values()];
    const parts = [
      `${this.#done} done`,
      ...(active.length > 0 ? [firstOf(active, 4, ", ")] : []),
      ...(this.#waitsFor.length > 0 ? [`waiting: ${firstOf(this.#waitsFor, 3, "; ")}`] : []),
    ];
    this.#say(parts.join("; "));
  }
}

/** Removes Pulumi's colour marks, such as `<{%reset%}>`, and terminal escapes. */
function stripColours(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/<\{%[^%]*%\}>|\u001B\[[0-9;]*m/g, "");
}

/** Pulumi repeats a prefix for each nesting of a value: `error serializing property: error serializing property: …`. */
const withoutRepetition = (message: string): string => message.replaceAll(/((?:[^\s:]+ ){1,6}[^\s:]+: )\1+/gi, "$1");

const preface =
  /^(A setting is wrong:|\d+ settings are wrong:|Running program .* failed with an unhandled exception:|error: |.*<ref \*\d+>)/;

/** The line of an update's errors that names the cause: the first one that is no preface and no place in a program. */
export function reasonOf(errors: readonly string[]): string | undefined {
  const lines = errors.flatMap((error) => error.split("\n")).map((line) => line.trim());
  return lines.find((line) => line !== "" && !preface.test(line) && !/^at |^\^|^file:/.test(line));
}

/** `3 created, 1 replaced, 40 unchanged`, or `nothing changed`. */
export function describeChanges(changes: OpMap | undefined): string {
  const words: readonly (readonly [keyof OpMap, string])[] = [
    ["create", "created"],
    ["update", "updated"],
    ["replace", "replaced"],
    ["delete", "deleted"],
  ];
  const parts = words.flatMap(([name, word]) => (changes?.[name] ? [`${changes[name]} ${word}`] : []));
  if (parts.length === 0) return "nothing changed";
  return [...parts, ...(changes?.same ? [`${changes.same} unchanged`] : [])].join(", ");
}
