import { readFileSync, statSync, writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { UsageError } from "../cli/usage-error.ts";
import type { Finding } from "../findings/finding.ts";
import { compareExpectations, type Expectations, type ExpectationsBySource, printExpectations, readExpectations } from "./expectations.ts";

/** What was found in the sources that were looked at. */
export interface Granted {
  /** By the sources' names. */
  readonly bySource: ReadonlyMap<string, Expectations>;
  /** Whether the metadata have one source and no other. */
  readonly isAlone: boolean;
  /** Whether all sources of the metadata were looked at. */
  readonly isWhole: boolean;
}

/** A file of expectations: of one source, or of several by their names. */
export class ExpectationsFile {
  /** As seen from the working directory. */
  readonly name: string;
  readonly #path: string;

  /** @param file as it was named @param directory the working directory */
  constructor(file: string, directory: string) {
    this.#path = resolve(directory, file);
    this.name = relative(directory, this.#path);
  }

  /** @param sources those to be compared @throws UsageError when there is nothing to compare them with */
  require(sources: readonly string[]): void {
    const known = this.#read();
    if (known === undefined) throw new UsageError(`there is no file ${this.name}; --update-expectations writes it`);
    if ("roles" in known && sources.length > 1) throw new UsageError(`${this.name} is about one source; these metadata have ${sources.join(", ")}: give --source NAME, or write the file anew with --update-expectations`);
  }

  /** Writes what is granted now; what the file says of sources that were not looked at stays. @throws UsageError */
  write({ bySource, isAlone, isWhole }: Granted): void {
    const [first] = bySource.values();
    const known = isWhole ? undefined : this.#read();
    const ofOneSource = isAlone || (known !== undefined && "roles" in known);
    const content = ofOneSource && first !== undefined ? first : { sources: { ...(known !== undefined && "sources" in known ? known.sources : {}), ...Object.fromEntries(bySource) } };
    writeFileSync(this.#path, printExpectations(content));
  }

  /** In what the metadata differ from what is expected. @throws UsageError */
  compare(granted: Granted): readonly Finding[] {
    const expected = this.#read() ?? { sources: {} };
    if ("roles" in expected) return [...granted.bySource].flatMap(([name, found]) => this.#surprises(expected, found, granted.isAlone ? undefined : name));
    const none: Expectations = { roles: {} };
    const gone = Object.keys(expected.sources).filter((name) => granted.isWhole && !granted.bySource.has(name));
    return [
      ...[...granted.bySource].flatMap(([name, found]) => [
        ...(expected.sources[name] === undefined ? [this.#finding({ source: name, reason: `there is a new source ${name}` })] : []),
        ...this.#surprises(expected.sources[name] ?? none, found, name),
      ]),
      ...gone.map((name) => this.#finding({ source: name, reason: `there is no source ${name} any more` })),
    ];
  }

  #surprises(expected: Expectations, found: Expectations, source: string | undefined): readonly Finding[] {
    return compareExpectations(expected, found).map((surprise) => this.#finding({ ...(source === undefined ? {} : { source }), ...surprise }));
  }

  #finding(surprise: Omit<Finding, "rule" | "severity" | "file" | "line" | "remedy">): Finding {
    return {
      ...surprise,
      rule: "expectation",
      severity: "error",
      file: this.name,
      line: undefined,
      remedy: "correct the metadata or, if it is meant, run with --update-expectations and have the change reviewed",
    };
  }

  #read(): Expectations | ExpectationsBySource | undefined {
    return statSync(this.#path, { throwIfNoEntry: false }) === undefined ? undefined : readExpectations(readFileSync(this.#path, "utf8"), this.name);
  }
}
