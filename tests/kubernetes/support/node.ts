import { inject } from "vitest";
import { NodeAccess } from "../../kubernetes-node/access.ts";

/** The node under test, started once by global-setup.ts. */
export const node = new NodeAccess(inject("node"));
