import { inject } from "vitest";
import { NodeAccess } from "../cluster/access.ts";

/** The node under test, started once by global-setup.ts. */
export const node = new NodeAccess(inject("node"));

// Every program that a test starts works on this cluster and on no other.
process.env["KUBECONFIG"] = node.kubeconfig;
