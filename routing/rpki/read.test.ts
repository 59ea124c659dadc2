import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readVrps } from "./read.ts";

const list = JSON.stringify({ roas: [{ asn: 64_496, prefix: "192.0.2.0/24", maxLength: 24 }] });

test("follows no redirect of a validator", async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url === "/list") response.end(list);
    else response.writeHead(Number(request.url?.slice(1)), { location: "/list" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const status of [301, 302, 307, 308])
      await expect(readVrps(`${address}/${status}`)).rejects.toThrow(
        `${address}/${status} redirects to /list. Give the address that has the list`,
      );
    expect(asked).toEqual(["/301", "/302", "/307", "/308"]);
    expect((await readVrps(`${address}/list`)).vrps).toHaveLength(1);
  } finally {
    server.close();
  }
});
