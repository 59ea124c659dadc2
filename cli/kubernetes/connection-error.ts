import { Failure, messageOf } from "@routeql/host/failure";
import { ApiError } from "@routeql/host/kubernetes/error";

/** Why a connection to a pod could not be opened. */
export function connectionFailure({ pod, namespace, what }: { readonly pod: string; readonly namespace: string; readonly what: string }, error: unknown): Failure {
  if (error instanceof ApiError && error.code === 403) return forbidden(error, `get and create of pods/${what} in the namespace ${namespace}`);
  return new Failure(`The pod ${pod} cannot be reached through the API server: ${messageOf(error)}`, {
    remedy: "the API server has to reach the pod's node; a proxy between here and the API server has to let WebSockets through.",
    cause: error,
  });
}

/** A connection that has ended before its time. */
export function connectionLost(pod: string, why?: string): Failure {
  return new Failure(`The connection to the pod ${pod} ended before the program did${why === undefined ? "" : `: ${why}`}`, {
    remedy: "look whether the pod still runs (kubectl get pods) and the API server answers, then run the command again.",
  });
}

/** @param needed the rights without which the command cannot work; without them the server's words have to do */
function forbidden(error: ApiError, needed?: string): Failure {
  return new Failure(`The cluster does not let this user do that: ${error.message}`, {
    remedy: `${needed === undefined ? "" : `it needs ${needed}. `}docs/operate/kubernetes.md#permissions-of-the-commands has those of each command.`,
    cause: error,
  });
}

/** What to say of an API server's refusal; any other error is given back as it is. */
export function withoutRights(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 403) return forbidden(error);
  return new Failure(`The Kubernetes API server refuses: ${error.message}`, { cause: error });
}
