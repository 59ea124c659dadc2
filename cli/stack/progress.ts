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
  readonly #errors: string[] = [];
  readonly steps: Step[] = [];
  readonly #say: (text: string) => void;
  #waitsFor: readonly string[] = [];
  #done = 0;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Messages of error diagnostics, each once, with their resource. */
  get errors(): readonly string[] {
    return this.#errors;
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
      const message = stripColours(diagnostic.message).trim();
      const about = diagnostic.urn ? `${describeUrn(diagnostic.urn)}: ` : "";
      if (message !== "" && message !== "update failed" && !this.#errors.includes(about + message))
        this.#errors.push(about + message);
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
