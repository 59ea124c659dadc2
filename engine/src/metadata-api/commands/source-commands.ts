import { z } from "zod";
import { cascade, command, object, present, refusal, type Command } from "./change.ts";
import { knownSource, sourceAt, withItem, without, withValue } from "./places.ts";

const parts = { configuration: object, customization: object.nullish(), health_check: object.nullish() };

/** Commands about databases: their addresses and names. */
export const sourceCommands: Readonly<Record<string, Command>> = {
  add_source: command(z.strictObject({ name: z.string().min(1), replace_configuration: z.boolean().nullish(), ...parts }), (metadata, { name, replace_configuration: replaces, ...given }) => {
    const path = sourceAt(metadata, name);
    if (path === undefined) return withItem(metadata, ["sources"], { name, kind: "postgres", ...present(given), tables: [] });
    if (replaces !== true) throw refusal("already-exists", `source with name "${name}" already exists`);
    const moved = withValue(metadata, [...path, "configuration"], given.configuration);
    return { metadata: withValue(moved, [...path, "customization"], given.customization ?? {}), object: path };
  }),

  update_source: command(z.strictObject({ name: z.string(), ...parts, configuration: object.nullish() }), (metadata, { name, ...given }) => {
    const path = knownSource(metadata, name);
    const changed = Object.entries(present(given)).reduce((rest, [key, value]) => withValue(rest, [...path, key], value), metadata);
    return { metadata: changed, object: path };
  }),

  // Nothing outside of a source depends on it, because relationships between sources are not served.
  drop_source: command(z.strictObject({ name: z.string(), cascade }), (metadata, { name }) => ({ metadata: without(metadata, knownSource(metadata, name)) })),
};

export const renameSource: Command = command(z.strictObject({ name: z.string(), new_name: z.string().min(1) }), (metadata, { name, new_name: next }) => {
  const path = sourceAt(metadata, name);
  if (path === undefined) throw refusal("not-exists", `Could not find source with name "${name}"`);
  if (sourceAt(metadata, next) !== undefined) throw refusal("already-exists", `Source with name "${next}" already exists`);
  return { metadata: withValue(metadata, [...path, "name"], next), object: path };
});
