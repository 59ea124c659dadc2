import { statSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { readTextOf } from "../../cli/read-file.ts";
import { UsageError } from "../../cli/usage-error.ts";
import type { Finding } from "../../findings/finding.ts";
import {
  compareExpectations,
  type Expectations,
  type ExpectationsBySource,
  printExpectations,
  readExpectations,
} from "./expectations.ts";

export interface Granted {
  readonly bySource: ReadonlyMap<string, Expectations>;
  /** Whether the metadata has exactly one source. */
  readonly isAlone: boolean;
  /** Whether every source was examined. */
  readonly isWhole: boolean;
}

/** A file of expectations, for one source or for several by name. */
export class ExpectationsFile {
  /** Relative to the working directory. */
  readonly name: string;
  readonly #path: string;

  /** @param file name as the user wrote it @param directory the working directory */
  constructor(file: string, directory: string) {
    this.#path = resolve(directory, file);
    this.name = relative(directory, this.#path);
  }

  /** @param sources the sources to compare @throws UsageError if the file has no expectations for them */
  require(sources: readonly string[]): void {
    const known = this.#read();
    if (known === undefined) throw new UsageError(`there is no file ${this.name}; --update-expectations writes it`);
    if ("roles" in known && sources.length > 1)
      throw new UsageError(
        `${this.name} is for one source, and the metadata has ${sources.join(", ")}: give --source NAME, or write the file again with --update-expectations`,
      );
  }

  /** Writes the granted permissions, and keeps the entries of other sources. @throws UsageError */
  write({ bySource, isAlone, isWhole }: Granted): void {
    const [first] = bySource.values();
    const known = isWhole ? undefined : this.#read();
    const ofOneSource = isAlone || (known !== undefined && "roles" in known);
    const content =
      ofOneSource && first !== undefined
        ? first
        : {
            sources: {
              ...(known !== undefined && "sources" in known ? known.sources : {}),
              ...Object.fromEntries(bySource),
            },
          };
    writeFileSync(this.#path, printExpectations(content));
  }

  /** Differences between the metadata and the expectations. @throws UsageError */
  compare(granted: Granted): readonly Finding[] {
    const expected = this.#read() ?? { sources: {} };
    if ("roles" in expected)
      return [...granted.bySource].flatMap(([name, found]) =>
        this.#surprises(expected, found, granted.isAlone ? undefined : name),
      );
    const none: Expectations = { roles: {} };
    const gone = Object.keys(expected.sources).filter((name) => granted.isWhole && !granted.bySource.has(name));
    return [
      ...[...granted.bySource].flatMap(([name, found]) => [
        ...(expected.sources[name] === undefined
          ? [this.#finding({ source: name, reason: `there is a new source ${name}` })]
          : []),
        ...this.#surprises(expected.sources[name] ?? none, found, name),
      ]),
      ...gone.map((name) => this.#finding({ source: name, reason: `the source ${name} is gone` })),
    ];
  }

  #surprises(expected: Expectations, found: Expectations, source: string | undefined): readonly Finding[] {
    return compareExpectations(expected, found).map((surprise) =>
      this.#finding({ ...(source === undefined ? {} : { source }), ...surprise }),
    );
  }

  #finding(surprise: Omit<Finding, "rule" | "severity" | "file" | "line" | "remedy">): Finding {
    const remedy =
      "correct the metadata; if the change is intended, run with --update-expectations and review the file";
    return { ...surprise, rule: "expectation", severity: "error", file: this.name, line: undefined, remedy };
  }

  #read(): Expectations | ExpectationsBySource | undefined {
    return statSync(this.#path, { throwIfNoEntry: false }) === undefined
      ? undefined
      : readExpectations(readTextOf(this.#path, this.name), this.name);
  }
}
