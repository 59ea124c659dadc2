import { expect, test } from "vitest";
import { outdatedDocuments } from "./documents.ts";

test("every derived document is current", async () => {
  expect([...(await outdatedDocuments()).keys()]).toEqual([]);
});
