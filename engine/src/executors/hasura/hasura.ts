import { Kind } from "graphql";
import { inSpan } from "@routeql/tracing/span";
import { unlessAborted } from "../../cancellation.ts";
import { defaultSizeLimits } from "../../cost/limits.ts";
import type { Session } from "../../engine.ts";
import { invalid } from "../../errors.ts";
import type { Executor } from "../../executor.ts";
import type { Settings } from "../../settings/settings.ts";
import { Documents, type DocumentsOptions, type KnownDocument } from "./documents.ts";
import { LiveLoad } from "./live-load.ts";
import { LiveQuery } from "./live-query.ts";
import { LiveSocket } from "./live-socket.ts";
import { readFacts } from "./metadata-facts.ts";
import { HasuraSlots } from "./slots.ts";
import { outageOf, Upstream, type UpstreamOptions } from "./upstream.ts";

/** Milliseconds beyond the statements' own limit: a statement may wait for a connection of Hasura. */
const patienceBesideStatement = 30_000;

/** Hasura's own default is 50, but a stack sets its pool to the same number as this. */
const defaultConnections = 10;

function optionsOf(settings: Settings, url: string): UpstreamOptions & DocumentsOptions {
  return {
    ...settings,
    url,
    connections: settings.poolSize ?? defaultConnections,
    answerLimit: settings.maxAnswerBytes,
    patience: settings.statementTimeout + patienceBesideStatement,
    adminSecret: settings.upstreamSecret ?? settings.adminSecret,
    maxQueryLength: settings.bodyLimit,
    maxDepth: settings.maxDepth ?? defaultSizeLimits.maxDepth,
    maxBreadth: settings.maxBreadth ?? defaultSizeLimits.maxBreadth,
    ...readFacts(settings.metadataDirectory),
  };
}

/** Memory of a subscription, here and at Hasura, which keeps each use of a variable. */
const bytesPerCharacter = 4;
const bytesPerValue = 200;

const clientOf = ({ client, role }: Session): string => client ?? role;

/** Answers from a Hasura. @param address such as `http://engine:8080` */
export function createHasuraExecutor(settings: Settings, address: string): Executor {
  const options = optionsOf(settings, address);
  const documents = new Documents(options);
  const slots = new HasuraSlots(options.connections);
  const load = new LiveLoad(options.connections);
  const upstream = new Upstream(options);
  const url = `${options.url.replace(/^http/, "ws")}/v1/graphql`;
  const sockets = new Map<Session, LiveSocket>();

  /** The socket of a session. All requests with one token and role have the same session. */
  function socketOf(session: Session): LiveSocket {
    const known = sockets.get(session);
    if (known !== undefined) return known;
    const socket = new LiveSocket(session, { ...options, url }, () => {
      if (sockets.get(session) === socket) sockets.delete(session);
    });
    sockets.set(session, socket);
    return socket;
  }

  return {
    kindOf: (request, { role }) => documents.read(request, role).operation.kind,
    async run(request, session, { signal, span, requestId, address }) {
      const document = documents.read(request, session.role);
      const { rows } = documents.check(document, request, session.role);
      if (document.operation.kind === "mutation" && !settings.mutations) throw invalid("no mutations exist");
      const client = clientOf(session);
      span?.set({ "graphql.operation.name": document.operation.definition.name?.value });
      try {
        const free = await slots.take(client, document.paceFor(client, rows), signal);
        const start = performance.now();
        // The slot is kept until Hasura has answered, also when the client leaves.
        const onEnd = (): void => {
          document.ran(client, performance.now() - start, rows);
          free();
        };
        return await inSpan(span, "POST /v1/graphql", "client", {}, () =>
          unlessAborted(upstream.ask(JSON.stringify(request), session, { requestId, address }, onEnd), signal),
        );
      } catch (error) {
        throw await outageOf(error, upstream);
      }
    },
    prepare(request, session) {
      const document = documents.read(request, session.role);
      const { values, rows } = documents.check(document, request, session.role);
      return {
        isReplaceable: !isStream(document),
        bytes: bytesPerCharacter * request.query.length + bytesPerValue * values,
        start: (listener) =>
          new LiveQuery({
            document,
            rows,
            client: clientOf(session),
            listener,
            slots,
            load,
            subscribe: (own) => socketOf(session).subscribe(JSON.stringify(request), own),
          }),
      };
    },
    ping: () => upstream.ping(),
    statistics() {
      const subscribers = [...sockets.values()].reduce((sum, socket) => sum + socket.subscribers, 0);
      return {
        plans: documents.statistics,
        pool: slots.statistics,
        liveQueries: { cohorts: load.documents, members: sockets.size, subscribers },
      };
    },
    async close() {
      for (const socket of sockets.values()) socket.close();
      await upstream.close();
    },
  };
}

/** Only streaming subscriptions have this argument. Their answers must all arrive. */
function isStream({ operation: { definition } }: KnownDocument): boolean {
  return definition.selectionSet.selections.some(
    (selection) =>
      selection.kind !== Kind.FIELD || (selection.arguments ?? []).some(({ name }) => name.value === "batch_size"),
  );
}
