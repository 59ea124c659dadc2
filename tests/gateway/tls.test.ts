import { once } from "node:events";
import { request as httpsRequest } from "node:https";
import { connect, type ConnectionOptions, getCiphers } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../harness/certificate.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

const kinds = ["ecdsa", "rsa"] as const;
const started = new Map<string, GatewayParts>();
beforeAll(async () => {
  await Promise.all(
    kinds.map(async (kind) => started.set(kind, await startGatewayParts({ certificate: await makeCertificate(kind) }))),
  );
});
afterAll(async () => {
  for (const parts of started.values()) await parts[Symbol.asyncDispose]();
});

/** The first listener of the gateway with that kind of certificate, unless another one is given. */
function target(kind: string, listener: "api" | "console" = "api"): ConnectionOptions {
  const { gateway } = started.get(kind) as GatewayParts;
  return {
    host: gateway.getHost(),
    port: gateway.port(listener),
    ca: gateway.certificate.certificate,
    servername: "localhost",
  };
}

interface Agreed {
  readonly version: string | null;
  readonly suite: string;
  readonly application: string | false | null;
  readonly resumed: boolean;
  readonly ticket: Buffer | undefined;
  readonly session: Buffer | undefined;
}

async function handshake(options: ConnectionOptions): Promise<Agreed> {
  const socket = connect(options);
  await once(socket, "secureConnect");
  const agreed = {
    version: socket.getProtocol(),
    suite: socket.getCipher().name,
    application: socket.alpnProtocol,
    resumed: socket.isSessionReused(),
    ticket: socket.getTLSTicket(),
    session: socket.getSession(),
  };
  // Closes cleanly, because OpenSSL forgets the session of an aborted connection.
  socket.end();
  await once(socket.resume(), "close");
  return agreed;
}

const suites = [
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"].map(
    (suite) => ["ecdsa", suite] as const,
  ),
  ...["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"].map(
    (suite) => ["rsa", suite] as const,
  ),
];
/** Every other suite before TLS 1.3 that OpenSSL can name. */
const refusedSuites = getCiphers()
  .map((name) => name.toUpperCase())
  .filter((name) => !name.startsWith("TLS_") && !suites.some(([, suite]) => suite === name));

describe.each(["api", "console"] as const)("the %s listener", (listener) => {
  test.each(["TLSv1.2", "TLSv1.3"] as const)("speaks %s", async (version) => {
    expect((await handshake({ ...target("ecdsa", listener), minVersion: version, maxVersion: version })).version).toBe(
      version,
    );
  });

  test.each(["TLSv1", "TLSv1.1"] as const)("refuses %s", async (version) => {
    const options = {
      ...target("ecdsa", listener),
      minVersion: version,
      maxVersion: version,
      ciphers: "ALL:@SECLEVEL=0",
    };
    await expect(handshake(options)).rejects.toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
  });
});

test.each(suites)("TLS 1.2 with a key of kind %s offers %s", async (kind, ciphers) => {
  expect((await handshake({ ...target(kind), maxVersion: "TLSv1.2", ciphers })).suite).toBe(ciphers);
});

test.each(kinds)("TLS 1.2 with a key of kind %s rejects every other suite", async (kind) => {
  expect(refusedSuites).toContain("ECDHE-RSA-AES256-SHA384");
  for (const suite of refusedSuites) {
    const options = { ...target(kind), maxVersion: "TLSv1.2" as const, ciphers: `${suite}:@SECLEVEL=0` };
    // The client itself no longer offers some.
    await expect(handshake(options), suite).rejects.toMatchObject({
      code: expect.stringMatching(/ALERT_HANDSHAKE_FAILURE|NO_CIPHER/) as string,
    });
  }
});

test.each(["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])(
  "TLS 1.3 offers %s",
  async (ciphers) => {
    expect((await handshake({ ...target("ecdsa"), minVersion: "TLSv1.3", ciphers })).suite).toBe(ciphers);
  },
);

test.each(["X25519MLKEM768", "X25519", "prime256v1", "secp384r1"])("the group %s is offered", async (ecdhCurve) => {
  expect((await handshake({ ...target("ecdsa"), minVersion: "TLSv1.3", ecdhCurve })).version).toBe("TLSv1.3");
});

test.each(["secp521r1", "X448", "ffdhe2048"])("the group %s is not", async (ecdhCurve) => {
  await expect(handshake({ ...target("ecdsa"), minVersion: "TLSv1.3", ecdhCurve })).rejects.toThrow(
    /handshake failure/i,
  );
});

test("TLS 1.2 issues no session tickets and resumes sessions from memory", async () => {
  const { ticket, session } = await handshake({ ...target("ecdsa"), maxVersion: "TLSv1.2" });
  expect(ticket).toBeUndefined();
  expect((await handshake({ ...target("ecdsa"), maxVersion: "TLSv1.2", session })).resumed).toBe(true);
});

test("TLS 1.3 resumes a session from memory", async () => {
  const socket = connect({ ...target("ecdsa"), minVersion: "TLSv1.3" });
  const [session] = (await once(socket, "session")) as [Buffer];
  socket.end();
  await once(socket.resume(), "close");
  const again = await handshake({ ...target("ecdsa"), minVersion: "TLSv1.3", session });
  expect([again.version, again.resumed]).toEqual(["TLSv1.3", true]);
});

test("offers only HTTP/2 and HTTP/1.1", async () => {
  expect((await handshake({ ...target("ecdsa"), ALPNProtocols: ["h2", "http/1.1"] })).application).toBe("h2");
  expect((await handshake({ ...target("ecdsa"), ALPNProtocols: ["http/1.1"] })).application).toBe("http/1.1");
  await expect(handshake({ ...target("ecdsa"), ALPNProtocols: ["spdy/3"] })).rejects.toThrow(
    /no application protocol/i,
  );
});

test.each(["other.example", "127.0.0.1:1", "localhost"])("a request for the host %s is served", async (host) => {
  const outgoing = httpsRequest({ ...target("ecdsa"), path: "/nothing", headers: { host }, agent: false });
  outgoing.end();
  const [incoming] = (await once(outgoing, "response")) as [{ statusCode: number; resume(): void }];
  incoming.resume();
  expect(incoming.statusCode).toBe(404);
});
