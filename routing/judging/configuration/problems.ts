import { isObject } from "../../formats/is-object.ts";
import { YamlFile, type YamlPath } from "@routeql/metadata/read/yaml";

/** All problems of a configuration; each names its line. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** For a file of another kind. */
const expected =
  "ARTEMIS's configuration, BGPalerter's prefixes.yml or a mapping with prefixes is expected: npm run detect -- --help";

/** A YAML file with the problems that its readers find. */
export class CheckedYaml {
  readonly #yaml: YamlFile;
  readonly #file: string;
  readonly #problems: { readonly line: number; readonly message: string }[] = [];
  readonly #warnings: string[] = [];
  readonly value: Readonly<Record<string, unknown>>;

  /** @param file its name, for messages @throws ConfigurationError for text that is no mapping in YAML */
  constructor(text: string, file: string) {
    this.#yaml = new YamlFile(text);
    this.#file = file;
    const { value, problem } = this.#yaml.read();
    this.value = isObject(value) ? value : {};
    if (isObject(value)) return;
    const other = { line: this.lineOf([]), reason: value === null ? "the file is empty" : "the file is no mapping" };
    for (const { line, reason } of this.#yaml.problems.length === 0 ? [problem ?? other] : this.#yaml.problems)
      this.#problems.push({ line, message: reason });
    this.#refuse(`. ${expected}`);
  }

  lineOf(path: readonly PropertyKey[]): number {
    return this.#yaml.line(path as YamlPath) ?? 1;
  }

  problem(path: readonly PropertyKey[], message: string): void {
    this.#problems.push({ line: this.lineOf(path), message });
  }

  /** Something that the configuration asks for and detection ignores. */
  warn(path: readonly PropertyKey[], message: string): void {
    this.#warnings.push(`${this.#file}:${this.lineOf(path)}: ${message}`);
  }

  /** @returns the warnings @throws ConfigurationError with all problems in the order of their lines */
  end(): readonly string[] {
    if (this.#problems.length > 0) this.#refuse();
    return this.#warnings;
  }

  #refuse(hint = ""): never {
    const sorted = this.#problems.toSorted((a, b) => a.line - b.line);
    // A value with an anchor is read at each of its aliases.
    const texts = new Set(sorted.map(({ line, message }) => `${this.#file}:${line}: ${message}`));
    throw new ConfigurationError([...texts].join("\n") + hint);
  }
}
