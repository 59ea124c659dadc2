import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueServer } from "@routeql/infra/testing/certificates";
import { expect, test } from "vitest";
import { tokenOfRecipient } from "./backup-token.ts";
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

test("finds the token of a file that Windows PowerShell wrote", async () => {
  const folder = await mkdtemp(join(tmpdir(), "routeql-recipient-"));
  try {
    const path = join(folder, "recipient.pem");
    const token = "0123456789abcdef".repeat(4);
    await writeFile(path, Buffer.from(`\uFEFF${(await issueServer()).pem}${token}\r\n`, "utf16le"), { mode: 0o600 });
    expect(await tokenOfRecipient(path)).toEqual(Buffer.from(token, "hex"));
  } finally {
    await rm(folder, { recursive: true });
  }
});
