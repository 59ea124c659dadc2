import { Writable } from "node:stream";
import type { Authenticator } from "../../auth/authenticator.ts";
import type { Environment } from "@routeql/contract/environment";
import type { Engine } from "../../engine.ts";
import { createLogger } from "../run.ts";
import { authenticatorOf, serve, type Served } from "../serve.ts";
import { readSettings } from "../settings.ts";
import { MetadataKeeper } from "../../metadata-store/metadata-keeper.ts";
import { createFakeEngine, type FakeBehaviour, type FakeEngine } from "./fake-engine.ts";
import { audience, hmacSecret, issuer } from "./tokens.ts";

export const adminSecret = "test-admin-secret-0123456789abcdef";

export interface ServedFake extends AsyncDisposable {
  readonly served: Served;
  readonly engine: FakeEngine;
  readonly url: string;
  readonly webSocketUrl: string;
  /** All log output, as text. */
  log(): string;
}

export const testSettings: Environment = {
  HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
  HASURA_GRAPHQL_SERVER_PORT: "0",
  ENGINE_METRICS_PORT: "0",
  HASURA_GRAPHQL_ADMIN_SECRET: adminSecret,
  HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: "HS256", key: hmacSecret, issuer, audience }),
  HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "20",
  HASURA_GRAPHQL_LOG_LEVEL: "debug",
};

/** A complete server on a free port with a fake engine; real clocks unless `now` is given. */
export async function serveFake(
  behaviour: FakeBehaviour = {},
  environment: Environment = {},
  { now, authenticator, quiet = 0 }: { now?: () => number; authenticator?: Authenticator; quiet?: number } = {},
): Promise<ServedFake> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const settings = readSettings({ ...testSettings, ...environment });
  const logger = createLogger(settings.logLevel, stream);
  const engine = createFakeEngine(behaviour);
  const known = authenticator ?? (await authenticatorOf(settings, logger, now));
  const served = await serve({
    settings,
    engine,
    metadata: metadataOf(engine),
    authenticator: known,
    logger,
    now,
    quiet,
  });
  const address = `127.0.0.1:${String(served.port)}`;
  return {
    served,
    engine,
    url: `http://${address}`,
    webSocketUrl: `ws://${address}/v1/graphql`,
    log: () => lines.join(""),
    [Symbol.asyncDispose]: () => served.stop(),
  };
}

/** A keeper with the metadata that the engine was created with. */
export function metadataOf(engine: Engine): MetadataKeeper {
  return new MetadataKeeper({ engine, pollInterval: 0, onEvent: () => undefined });
}
