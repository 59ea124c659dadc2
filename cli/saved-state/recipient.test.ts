import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueServer } from "@routeql/infra/testing/certificates";
import { expect, test } from "vitest";
import { recipientOf } from "./saved-state.ts";

test("takes the certificate from a file with other blocks, and names a file without one", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-recipient-"));
  try {
    const path = join(folder, "recipient.pem");
    const { pem, keyPem } = await issueServer();
    await writeFile(path, `\uFEFFBag Attributes\n${keyPem.trim()}${pem}`);
    expect(await recipientOf(path)).toBe(pem);
    await writeFile(path, keyPem);
    await expect(recipientOf(path)).rejects.toThrow(
      `The file of --recipient, ${path}, has no block CERTIFICATE, only PRIVATE KEY.`,
    );
    await expect(recipientOf(join(folder, "none.pem"))).rejects.toThrow("cannot be read (ENOENT");
  } finally {
    await rm(folder, { recursive: true });
  }
});
