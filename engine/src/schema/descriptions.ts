import type { QualifiedName } from "@routeql/metadata/read/shape";

/** An empty comment in metadata means no description. */
export function description(explicit: string | null | undefined, automatic: string | undefined): string | undefined {
  if (explicit === null || explicit === undefined) return automatic;
  return explicit === "" ? undefined : explicit;
}

/** A table or function in descriptions: without the schema `public`. */
export function title({ schema, name }: QualifiedName): string {
  return schema === "public" ? `"${name}"` : `"${schema}.${name}"`;
}
