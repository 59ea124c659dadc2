import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { protectFromIssuers } from "./peer-certificates.ts";

let folder: string;

const openssl = (...options: readonly string[]): void => {
  execFileSync("openssl", options, { cwd: folder, stdio: "ignore" });
};
const text = (name: string): Buffer => readFileSync(join(folder, name));

/** Files of a certificate with a key on a curve, signed by an earlier one. */
function issue(name: string, curve: string, issuer: string, extension: string): void {
  writeFileSync(join(folder, `${name}.ext`), `${extension}\n`);
  openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", `${name}.key`);
  openssl("req", "-new", "-key", `${name}.key`, "-subj", `/CN=${name}`, "-out", `${name}.csr`);
  const signed = ["-CA", `${issuer}.pem`, "-CAkey", `${issuer}.key`, "-CAcreateserial", "-days", "2"];
  openssl("x509", "-req", "-in", `${name}.csr`, ...signed, "-extfile", `${name}.ext`, "-out", `${name}.pem`);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "peer-certificates-"));
  const root = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=root", "-days", "2"];
  openssl("req", "-x509", "-nodes", ...root, "-keyout", "root.key", "-out", "root.pem");
  issue("brainpool", "brainpoolP256r1", "root", "basicConstraints=critical,CA:TRUE");
  issue("below", "prime256v1", "brainpool", "subjectAltName=DNS:server.example");
  protectFromIssuers();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a verified client sees of a server. */
async function seen(leaf: string, issuer: string, servername: string) {
  const server = createServer({
    key: text(`${leaf}.key`),
    cert: Buffer.concat([text(`${leaf}.pem`), text(`${issuer}.pem`)]),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, servername, ca: text("root.pem") });
  try {
    await once(socket, "secureConnect");
    return { authorized: socket.authorized, name: socket.getPeerCertificate(true).subject.CN };
  } finally {
    socket.destroy();
    server.close();
  }
}

test("a client accepts a server with an intermediate certificate on a brainpool curve", async () => {
  expect(await seen("below", "brainpool", "server.example")).toEqual({ authorized: true, name: "below" });
});

test("a client checks the name of a server with such an intermediate certificate", async () => {
  await expect(seen("below", "brainpool", "other.example")).rejects.toThrow("Hostname/IP does not match");
});
