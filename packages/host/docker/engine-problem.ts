import { Failure, messageOf } from "../failure.ts";
import { type EngineAddress, socketOf, standardOrigin } from "./engine-address.ts";

/** Socket paths, and how to start the engine behind each. */
const starts: readonly (readonly [socket: RegExp, start: string])[] = [
  [/\/\.docker\/(run|desktop)\/docker\.sock$/, "start Docker Desktop"],
  [/\/\.colima\//, "start Colima: colima start"],
  [/\/\.orbstack\//, "start OrbStack"],
  [/\/\.rd\//, "start Rancher Desktop"],
  [/^\/run\/user\/\d+\/docker\.sock$/, "start the rootless engine: systemctl --user start docker"],
];

function anotherEngine({ origin }: EngineAddress): string {
  if (origin === "DOCKER_HOST") return ", or unset DOCKER_HOST to use the current Docker context";
  return origin.startsWith("the Docker context") ? ", or choose another context: docker context use NAME" : "";
}

function howToStart(address: EngineAddress): string {
  const socket = socketOf(address) ?? "";
  const known = starts.find(([path]) => path.test(socket))?.[1];
  return `${known ?? (address.origin === standardOrigin ? "start Docker; on Debian `npm run up` installs and starts it as root" : "start that engine")}${anotherEngine(address)}.`;
}

function howToGetAccess(address: EngineAddress): string {
  const socket = socketOf(address) ?? "";
  if (socket.startsWith("/run/user/"))
    return `the socket belongs to another user: use an engine of your own${anotherEngine(address)}.`;
  return `join the group docker (sudo usermod -aG docker ${process.env["USER"] ?? "NAME"}), log in again and repeat the command${anotherEngine(address)}.`;
}

/** The error for an engine that does not answer: its address, the source of the address, and the next step. */
export function engineProblem(error: unknown, address: EngineAddress): Failure {
  const { endpoint, origin } = address;
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EACCES" || code === "EPERM") {
    return new Failure(`This user may not use the Docker engine at ${endpoint} (${origin})`, {
      remedy: howToGetAccess(address),
      cause: error,
    });
  }
  return new Failure(`No Docker engine answers at ${endpoint} (${origin}): ${messageOf(error)}`, {
    remedy: howToStart(address),
    cause: error,
  });
}
