import { loginOf } from "@routeql/database/migrate/roles";
import type { Duplex } from "node:stream";
import type { OpenedDatabase } from "@routeql/database/shared/opened-database";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure, messageOf } from "@routeql/host/failure";
import { type DatabaseReach, type DatabaseRole, valuesOf } from "../stack/outputs.ts";
import { requireOwn } from "../stack/ownership.ts";
import { openDatabaseInCluster } from "../kubernetes/database-socket.ts";
import { placeOf } from "../kubernetes/place.ts";
import { encryption } from "./connection-settings.ts";
import { connectedMark, RelaySocket } from "./postgres-socket.ts";
import { toolsNetwork } from "./docker-programs.ts";

/** Runs in the relay's container: connects its standard streams with the database's port. */
const relayScript = ({ host, port }: DatabaseReach): string => `
const socket = require("node:net").connect({ host: ${JSON.stringify(host)}, port: ${port}, allowHalfOpen: false });
socket.on("connect", () => {
  process.stdout.write("${connectedMark}");
  socket.pipe(process.stdout);
  process.stdin.pipe(socket);
});
socket.on("close", () => process.exit(0));
socket.on("error", (error) => { console.error(error.message); process.exit(1); });
`;

/**
 * Opens a connection to a running stack's database, which publishes no port: through a container of the database-tools image on
 * the stack's network.
 * @throws Failure when the stack is not running
 */
export async function openDatabase(stack: string, role: DatabaseRole): Promise<OpenedDatabase> {
  const place = await placeOf(stack);
  if (place) return openDatabaseInCluster(place, stack, role);
  const labels = await requireOwn(stack);
  const docker = dockerClient();
  const values = await valuesOf(stack);
  const network = await toolsNetwork(stack, values.database.host);
  const image = values.services.find(({ service }) => service === "migrate")?.image;
  if (!image) throw new Failure(`The stack ${stack} has no migrate job, whose image contains the tools`);
  const container = await docker.createContainer({
    Image: image,
    Cmd: ["node", "-e", relayScript(values.database)],
    Labels: { ...labels, "com.routeql.relay": stack },
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      AutoRemove: true,
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Memory: 256 * 1024 * 1024,
      PidsLimit: 64,
      LogConfig: { Type: "none", Config: {} },
    },
  });
  const remove = async (): Promise<void> => {
    await orUndefined(container.remove({ force: true })).catch((error: { statusCode?: number }) => {
      // The engine is already removing the container.
      if (error.statusCode !== 409) throw error;
    });
  };
  try {
    const attached = (await container.attach({
      stream: true,
      hijack: true,
      stdin: true,
      stdout: true,
      stderr: true,
    })) as unknown as Duplex;
    const socket = new RelaySocket(attached);
    await container.start();
    await socket.connected.catch((error: unknown) => {
      throw new Failure(`The database of the stack ${stack} does not accept connections: ${messageOf(error)}`, {
        remedy: `wait until the database has started (npm run logs -- --stack ${stack} database), then run this command again.`,
        cause: error,
      });
    });
    return {
      config: {
        ...encryption(values.database),
        stream: () => socket,
        user: loginOf(role, values.database.secondLogins),
        password: values.databasePasswords[role],
      },
      close: async () => {
        socket.destroy();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
