/** Measures signing and checking a password alone, in a separate process, for a given time and concurrency. */
import { generateSigningKey } from "@routeql/auth-sidecar/keys/signing-key";
import { hashPassword, verifyPassword } from "@routeql/auth-sidecar/passwords/password-hash";
import { signToken } from "@routeql/auth-sidecar/tokens/token-issuer";
import { tokenClaims } from "@routeql/auth-sidecar/tokens/token-claims";
import { answerMessages } from "../measure/helper-process.ts";

export interface PrimitiveWork {
  readonly primitive: "sign" | "hash";
  readonly concurrency: number;
  readonly milliseconds: number;
}

export interface PrimitiveResult {
  readonly operations: number;
  readonly seconds: number;
  /** Processor time of this process, all threads. */
  readonly cpuSeconds: number;
}

const { publicJwk, privateKey } = await generateSigningKey("ES256");
const passwordHash = await hashPassword("a password of the usual length");
const user = {
  id: "bench",
  provider: "local",
  email: "bench@example.net",
  name: "Bench",
  role: "analyst",
  organisationId: null,
  disabled: false,
} as const;
const policy = { issuer: "routeql", audience: "routeql", lifeSeconds: 900 };

const primitives: Readonly<Record<PrimitiveWork["primitive"], () => Promise<unknown>>> = {
  sign: () => signToken(tokenClaims(user, policy, Math.floor(Date.now() / 1000)), publicJwk, privateKey),
  hash: () => verifyPassword(passwordHash, "a password of the usual length"),
};

answerMessages(async ({ primitive, concurrency, milliseconds }: PrimitiveWork): Promise<PrimitiveResult> => {
  const once = primitives[primitive];
  const usage = process.cpuUsage();
  const start = performance.now();
  let operations = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() - start < milliseconds) {
      await once();
      operations += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const { user: inUser, system } = process.cpuUsage(usage);
  return { operations, seconds: (performance.now() - start) / 1000, cpuSeconds: (inUser + system) / 1e6 };
});
