import type { PlainSettings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";
import { describeEmbeddedEngine } from "./embedded-engine.ts";
import { describeHasura } from "./hasura.ts";

/** What answers GraphQL, whichever engine that is: the others cannot tell. */
export function describeEngine(settings: PlainSettings): ServiceDescription {
  return settings.engine === "hasura" ? describeHasura(settings) : describeEmbeddedEngine(settings);
}
