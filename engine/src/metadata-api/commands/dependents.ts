import type { Inconsistency } from "@routeql/metadata/read/problems";
import { dropInconsistent } from "../drop-inconsistent.ts";
import { hasuraObject } from "../inconsistent-object.ts";
import { refusal, type Change, type Json } from "./change.ts";

/**
 * Handles objects that become inconsistent because another object is deleted.
 * @param cascade deletes them too; otherwise the command is rejected with their names
 */
export function dependents(cascade: boolean): Pick<Change, "mend" | "goesAlone"> {
  return { mend: (metadata, unfit) => (cascade ? (dropInconsistent(metadata, unfit) as Json) : refuse(metadata, unfit)), goesAlone: cascade };
}

function refuse(metadata: Json, unfit: readonly Inconsistency[]): never {
  const names = [...new Set(unfit.map((found) => hasuraObject(metadata, found).dependency))];
  throw refusal("dependency-error", `cannot drop due to the following dependent objects: ${names.join(", ")}`);
}
