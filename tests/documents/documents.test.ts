import { expect, test } from "vitest";
import { outdatedDocuments } from "./documents.ts";

test("every derived document is what the code says now", async () => {
  expect([...(await outdatedDocuments()).keys()]).toEqual([]);
});
