import { createPrivateKey, type KeyObject } from "node:crypto";
import { KeyEncryption } from "@routeql/auth-sidecar/keys/key-encryption";
import type { PublicJwk } from "@routeql/auth-sidecar/keys/signing-key";
import { containerOf } from "../../e2e/support/stack/docker.ts";
import { database } from "../../e2e/support/stack/database.ts";
import { mustRun } from "../../harness/process.ts";

export interface StackKey {
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
}

/** The stack's signing key, which is unknown outside. With it a test shows that a valid signature alone grants nothing. */
export async function stackKey(): Promise<StackKey> {
  const secret = await mustRun("docker", [
    "exec",
    containerOf("auth-sidecar"),
    "cat",
    "/run/routeql/secrets/key-encryption-key",
  ]);
  const { rows } = await (
    await database("sidecar")
  ).query<{ id: string; public_jwk: PublicJwk; private_key_encrypted: Buffer }>(
    "select id, public_jwk, private_key_encrypted from auth.signing_keys where retired_at is null order by signs_from limit 1",
  );
  const { id, public_jwk: publicJwk, private_key_encrypted: stored } = rows[0]!;
  const { privateKey } = new KeyEncryption(secret.replace(/\n$/, "")).decrypt(id, stored);
  return { publicJwk, privateKey: createPrivateKey({ key: privateKey, type: "pkcs8", format: "der" }) };
}
