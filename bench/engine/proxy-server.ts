/** The least that a proxy in Node costs: node:http before a pool of undici that forwards streams and checks nothing. */
import { createServer } from "node:http";
import { Pool } from "undici";

const pool = new Pool(process.env["UPSTREAM"]!, { connections: Number(process.env["POOL_SIZE"]), pipelining: 1 });

createServer((request, response) => {
  const { method = "GET", url: path = "/", headers } = request;
  const { "content-type": type = "", authorization = "" } = headers;
  const forwarded = { "content-type": type, authorization };
  pool
    .stream({ method: method as "POST", path, headers: forwarded, body: request }, (answer) =>
      response.writeHead(answer.statusCode, answer.headers),
    )
    .catch(() => response.destroy());
}).listen(Number(process.env["PORT"]), "127.0.0.1");
