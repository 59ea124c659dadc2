import { styleText } from "node:util";

export interface Option {
  readonly type: "string" | "boolean";
  /** Name of the value in the help, for strings. */
  readonly value?: string;
  readonly multiple?: boolean;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The given values; `undefined` and `false` for missing options. */
export interface Given {
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

/** The outputs of a verb. Tests replace them. */
export interface Terminal {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly colours: boolean;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const exitCodes = { fine: 0, findings: 1, unusable: 2 } as const;

/** One verb of the tool. */
export interface Command {
  readonly name: string;
  /** One line. */
  readonly summary: string;
  readonly usage: string;
  /** Paragraphs of the help below the usage. */
  readonly description: string;
  readonly options: Options;
  readonly examples: readonly (readonly [command: string, what: string])[];
  /** The meaning of the exit codes 0 and 1. */
  readonly outcomes: readonly [fine: string, findings: string];
  /** @returns the exit code @throws UsageError */
  run(given: Given, terminal: Terminal): Promise<number>;
}

export type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

export function painter(colours: boolean): Paint {
  return (style, text) => (colours ? styleText(style, text, { validateStream: false }) : text);
}
