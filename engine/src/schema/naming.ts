import type { SourceMetadata } from "../metadata/shape.ts";

export type Convention = "hasura-default" | "graphql-default";

function words(name: string): string[] {
  return name.split("_").filter((word) => word !== "");
}

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function pascalCase(name: string): string {
  return words(name).map(capitalise).join("");
}

/** Keeps leading underscores, as `__typename`-like names need. */
export function camelCase(name: string): string {
  const [first = "", ...rest] = words(name);
  const leading = /^_+/.exec(name)?.[0] ?? "";
  return leading + first.charAt(0).toLowerCase() + first.slice(1) + rest.map(capitalise).join("");
}

/** Builds every generated name of one source from Hasura's rules for its naming convention and its customization. */
export class Naming {
  readonly convention: Convention;
  readonly #typePrefix: string;
  readonly #typeSuffix: string;
  readonly #rootPrefix: string;
  readonly #rootSuffix: string;
  /** Root fields stand in an object of this name instead of directly in `query_root`. */
  readonly namespace: string | undefined;

  constructor(customization: SourceMetadata["customization"], fallback: Convention) {
    this.convention = customization?.naming_convention ?? fallback;
    this.#typePrefix = customization?.type_names?.prefix ?? "";
    this.#typeSuffix = customization?.type_names?.suffix ?? "";
    this.#rootPrefix = customization?.root_fields?.prefix ?? "";
    this.#rootSuffix = customization?.root_fields?.suffix ?? "";
    this.namespace = customization?.root_fields?.namespace ?? undefined;
  }

  get #graphql(): boolean {
    return this.convention === "graphql-default";
  }

  /** A field or argument that the engine names, or a column. */
  field(name: string): string {
    return this.#graphql ? camelCase(name) : name;
  }

  /** Joins a field's name and a suffix such as `_aggregate`. */
  suffixed(name: string, suffix: string): string {
    return this.#graphql ? name + pascalCase(suffix) : `${name}_${suffix}`;
  }

  /** A type belonging to a table or function, e.g. `("author", "bool_exp")`. */
  type(base: string, suffix?: string): string {
    const whole = this.#graphql ? pascalCase(base) + (suffix === undefined ? "" : pascalCase(suffix)) : `${base}${suffix === undefined ? "" : `_${suffix}`}`;
    return this.#affixed(whole);
  }

  #affixed(name: string): string {
    if (this.#graphql) return (this.#typePrefix === "" ? "" : pascalCase(this.#typePrefix)) + name + (this.#typeSuffix === "" ? "" : pascalCase(this.#typeSuffix));
    return this.#typePrefix + name + this.#typeSuffix;
  }

  /** A type that belongs to a scalar, e.g. `String_comparison_exp`. Scalars themselves are never renamed. */
  scalarType(scalar: string, suffix: string): string {
    return this.#affixed(this.#graphql ? pascalCase(scalar) + pascalCase(suffix) : `${scalar}_${suffix}`);
  }

  shared(name: string): string {
    return this.#affixed(this.#graphql ? pascalCase(name) : name);
  }

  rootField(name: string): string {
    if (this.#graphql) {
      const prefixed = this.#rootPrefix === "" ? name : camelCase(this.#rootPrefix) + capitalise(name);
      return this.#rootSuffix === "" ? prefixed : prefixed + pascalCase(this.#rootSuffix);
    }
    return this.#rootPrefix + name + this.#rootSuffix;
  }

  enumValue(name: string): string {
    return this.#graphql ? name.toUpperCase() : name;
  }
}
