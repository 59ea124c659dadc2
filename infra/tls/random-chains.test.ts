import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { host } from "../testing/certificates.ts";
import { type RandomChain, randomChain } from "../testing/random-chains.ts";
import { SettingsError } from "../settings/reading/error.ts";
import { checkedCertificate } from "./own-certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "routeql-chains-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The verdict of `openssl verify` as a client with the name: undefined if it accepts the certificate. */
async function openssl(leaf: string, untrusted: string, authority: string): Promise<string | undefined> {
  const paths = Object.entries({ leaf, untrusted, authority }).map(([name, text]) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text);
    return path;
  });
  const client = ["-auth_level", "2", "-purpose", "sslserver", "-verify_hostname", host];
  const given = ["-CAfile", paths[2]!, "-no-CApath", "-untrusted", paths[1]!, paths[0]!];
  return promisify(execFile)("openssl", ["verify", ...client, ...given]).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr.split("\n").find((line) => line.startsWith("error")) ?? error.stderr,
  );
}

/** The difference of the two verdicts; undefined without one. */
async function difference({ file, keyPem, leaf, others, authority }: RandomChain): Promise<string | undefined> {
  const [certificateFile, privateKeyFile] = ["chain", "key"].map((name) => join(folder, `${name}.pem`)) as [
    string,
    string,
  ];
  writeFileSync(certificateFile, file);
  writeFileSync(privateKeyFile, keyPem);
  try {
    const made = checkedCertificate({ certificateFile, privateKeyFile, publicHost: host, authority: authority.pem });
    // The gateway presents these, so clients judge these.
    const reason = await openssl(made.certificate, made.certificate, authority.pem);
    return reason === undefined ? undefined : `accepted, but OpenSSL says ${reason}`;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // OpenSSL still reads the common name, which clients do not.
    if (error.message.includes("clients read no common name")) return undefined;
    const reason = await openssl(leaf.pem, others.map(({ pem }) => pem).join("") || leaf.pem, authority.pem);
    return reason === undefined ? `refused, but OpenSSL accepts it: ${error.message}` : undefined;
  }
}

/** With ROUTEQL_RANDOM_CHAINS=10000 the test compares more; `npx vitest run --project unit infra/tls/random-chains`. */
const count = Number(process.env["ROUTEQL_RANDOM_CHAINS"] ?? 20);
const verdicts = { accepted: 0, refused: 0 };

test("accepts exactly the random chains that OpenSSL accepts", { timeout: 30_000 + count * 3000 }, async () => {
  const differences: string[] = [];
  for (let seed = 1; seed <= count; seed += 1) {
    const chain = await randomChain(seed);
    const found = await difference(chain);
    if (found !== undefined) differences.push(`${seed} (${chain.faults.join(", ")}): ${found}`);
    verdicts[chain.faults.length === 0 ? "accepted" : "refused"] += 1;
  }
  expect(differences).toEqual([]);
  expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(count / 10);
});
