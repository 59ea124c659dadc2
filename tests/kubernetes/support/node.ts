import { inject } from "vitest";
import { NodeAccess } from "@routeql/offline/kubernetes-node/access";

/** The node under test, started once by global-setup.ts. */
export const node = new NodeAccess(inject("node"));
