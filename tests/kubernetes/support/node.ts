import { inject } from "vitest";
import { NodeAccess } from "../cluster/access.ts";

/** The node under test, started once by global-setup.ts. */
export const node = new NodeAccess(inject("node"));
