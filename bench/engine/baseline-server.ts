/** The minimum that answers the same queries: node:http, node-postgres and Postgres' JSON, without GraphQL, tokens or limits. */
import { createServer } from "node:http";
import pg from "pg";

/** Statements by path; each returns one row with one column of JSON text. */
const statements = JSON.parse(process.env["STATEMENTS"] ?? "{}") as Record<string, string>;
const pool = new pg.Pool({
  connectionString: process.env["DATABASE_URL"],
  max: Number(process.env["POOL_SIZE"]),
  options: "-c jit=off",
});

createServer((request, response) => {
  const path = request.url ?? "/";
  const text = statements[path];
  request.resume().on("end", () => {
    if (text === undefined) {
      response.writeHead(path === "/ready" ? 200 : 404).end();
      return;
    }
    const onRows = ({ rows }: { readonly rows: readonly { readonly data: string }[] }): void => {
      const body = `{"data":${rows[0]?.data ?? "null"}}`;
      response
        .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
        .end(body);
    };
    const onError = (error: unknown): void => {
      console.error(error);
      response.writeHead(500).end();
    };
    pool.query<{ data: string }>({ name: path, text }).then(onRows, onError);
  });
}).listen(Number(process.env["PORT"]), "127.0.0.1");
