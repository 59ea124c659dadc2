import { Failure, messageOf } from "@routeql/host/failure";
import { ApiError } from "@routeql/host/kubernetes/client";

export function connectionFailure(
  { pod, namespace, what }: { readonly pod: string; readonly namespace: string; readonly what: string },
  error: unknown,
): Failure {
  if (error instanceof ApiError && error.code === 403)
    return forbidden(error, `get and create of pods/${what} in the namespace ${namespace}`);
  return new Failure(`The pod ${pod} cannot be reached through the API server: ${messageOf(error)}`, {
    remedy:
      "check that the API server reaches the pod's node, and that every proxy on the way to the API server supports WebSockets.",
    cause: error,
  });
}

export function connectionLost(pod: string, why?: string): Failure {
  return new Failure(
    `The connection to the pod ${pod} ended before the program did${why === undefined ? "" : `: ${why}`}`,
    {
      remedy:
        "check that the pod still runs (kubectl get pods) and that the API server answers, then run the command again.",
    },
  );
}

/** @param needed the permissions that the command requires; without it, only the server's message is shown */
function forbidden(error: ApiError, needed?: string): Failure {
  return new Failure(`The cluster denies this user a permission: ${error.message}`, {
    remedy: `${needed === undefined ? "" : `it needs ${needed}. `}docs/operate/kubernetes.md#permissions-of-the-commands lists the permissions of each command.`,
    cause: error,
  });
}

/** Adds a remedy to a refusal of the API server. Returns any other error unchanged. */
export function withoutRights(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 403) return forbidden(error);
  return new Failure(`The Kubernetes API server refuses: ${error.message}`, {
    remedy: "check the cluster (kubectl get --raw /readyz), then run the command again.",
    cause: error,
  });
}
