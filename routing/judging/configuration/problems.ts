import { YamlFile, type YamlPath } from "@routeql/metadata/read/yaml";

/** All problems of a configuration; each names its line. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
}

/** A YAML file with the problems that its readers find. */
export class CheckedYaml {
  readonly #yaml: YamlFile;
  readonly #file: string;
  readonly #problems: { readonly line: number; readonly message: string }[] = [];
  readonly #warnings: string[] = [];
  readonly value: unknown;

  /** @param file its name, for messages @throws ConfigurationError for text that is no YAML */
  constructor(text: string, file: string) {
    this.#yaml = new YamlFile(text);
    this.#file = file;
    const { value, problem } = this.#yaml.read();
    this.value = value;
    if (problem === undefined) return;
    for (const { line, reason } of this.#yaml.problems.length === 0 ? [problem] : this.#yaml.problems)
      this.#problems.push({ line, message: reason });
    this.end();
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
    if (this.#problems.length === 0) return this.#warnings;
    const sorted = this.#problems.toSorted((a, b) => a.line - b.line);
    // A value with an anchor is read at each of its aliases.
    const texts = new Set(sorted.map(({ line, message }) => `${this.#file}:${line}: ${message}`));
    throw new ConfigurationError([...texts].join("\n"));
  }
}
