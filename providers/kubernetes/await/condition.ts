import { conditionOf, field, type KubernetesObject } from "@routeql/host/kubernetes/objects";
import { ready, type Readiness } from "./readiness.ts";

/** The annotation by which a program says what to wait for; the forms that kubectl's `wait --for` has (official provider 4.18). */
export const waitForAnnotation = "pulumi.com/waitFor";

/** @throws Error for a form that is not served */
export function waitedFor(expression: string, object: KubernetesObject): Readiness {
  const trimmed = expression.trim();
  if (trimmed.startsWith("[")) {
    const all = (JSON.parse(trimmed) as string[]).map((one) => waitedFor(one, object));
    return all.find((readiness) => !("ready" in readiness)) ?? ready;
  }
  const condition = /^condition=(\w+)(?:=(\w+))?$/.exec(trimmed);
  if (condition) {
    const [, type = "", status = "True"] = condition;
    const found = conditionOf(object, type);
    return found?.status.toLowerCase() === status.toLowerCase() ? ready : { waitsFor: `${type} is not ${status}${found?.message ? `: ${found.message}` : ""}` };
  }
  const path = /^jsonpath=\{((?:\.\w+)+)\}(?:=(.+))?$/.exec(trimmed);
  if (path) {
    const [, steps = "", value] = path;
    const found = field(object, ...steps.slice(1).split("."));
    const isThere = value === undefined ? found !== undefined : String(found) === value;
    return isThere ? ready : { waitsFor: `${steps} is ${found === undefined ? "absent" : JSON.stringify(found)}` };
  }
  throw new Error(`the stand-in kubernetes provider does not serve ${waitForAnnotation}: ${trimmed}; use the official provider`);
}
