import { randomUUID } from "node:crypto";
import { dockerClient } from "@routeql/host/docker/client";
import { tryFiles } from "@routeql/host/docker/try-files";
import { renderGateway } from "@routeql/nginx/testing/gateway";
import { expect, test } from "vitest";
import { makeCertificate, type TestCertificate } from "../harness/certificate.ts";
import { image } from "../harness/containers/image.ts";
import { runLabels } from "../harness/run/run.ts";
import { roomySettings } from "./support/gateway-container.ts";

const label = { "com.routeql.trial": randomUUID() };

async function check({ certificate, privateKey }: TestCertificate, edit: Record<string, string> = {}) {
  const configuration = Object.entries({ ...renderGateway(roomySettings), ...edit });
  return tryFiles(dockerClient(), {
    image: await image("gateway"),
    program: ["sh", "/run/routeql/nginx/start.sh", "check"],
    user: "10101:10101",
    labels: { ...runLabels, ...label },
    directory: "/run/routeql",
    files: {
      ...Object.fromEntries(configuration.map(([name, content]) => [`nginx/${name}`, content])),
      "tls/certificate.pem": certificate,
      "tls/private-key.pem": privateKey,
    },
  });
}

test("accepts the files of a deployment in a copy, without a network", async () => {
  expect(await check(await makeCertificate())).toBeUndefined();
});

test("rejects files that nginx rejects, with its message", async () => {
  const [one, other] = [await makeCertificate(), await makeCertificate()];
  expect(
    (await check({ ...one, certificate: one.certificate.replaceAll("-----BEGIN", "glued-----BEGIN") }))?.join("\n"),
  ).toMatch(/cannot load certificate/);
  expect((await check({ ...one, privateKey: other.privateKey }))?.join("\n")).toMatch(/key values mismatch/);
  expect((await check(one, { "tls.conf": "nonsense on;" }))?.join("\n")).toMatch(/unknown directive "nonsense"/);
});

test("leaves no container behind", async () => {
  await check(await makeCertificate());
  const found = await dockerClient().listContainers({
    all: true,
    filters: { label: [`com.routeql.trial=${label["com.routeql.trial"]}`] },
  });
  expect(found).toEqual([]);
});
