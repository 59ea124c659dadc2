/** The sources of which this replica is the feed. */
export class ActiveSources {
  readonly #active = new Set<string>();
  readonly #first: string | undefined;

  /** @param names all sources of the replica, in any order */
  constructor(names: readonly string[]) {
    this.#first = names.toSorted()[0];
  }

  set(name: string, isActive: boolean): void {
    if (isActive) this.#active.add(name);
    else this.#active.delete(name);
  }

  /** Whether this replica decides on the configuration. Of all replicas only one is the feed of the first source by name. */
  get decides(): boolean {
    return this.#first !== undefined && this.#active.has(this.#first);
  }
}
