/** Accounts of the host that have the user id of a container: they read its secrets through /proc/PID/root. */
import { dockerClient } from "@routeql/host/docker/client";
import { daemonAddress } from "@routeql/host/docker/daemon-address";
import { Failure } from "@routeql/host/failure";
import { runToEnd } from "@routeql/host/process";
import { officialUser, serviceUsers } from "@routeql/infra/description/service";
import type { Problem } from "../status/report.ts";

interface HostAccount {
  readonly name: string;
  readonly user: number;
}

const withoutLogin = /\/(nologin|false)$/;

/**
 * Accounts in the output of `getent passwd` that can start programs as a container's user. Service accounts without a login shell often
 * have the id of the official images (999); no package of a distribution uses the ids of this project's images.
 */
export function accountsIn(passwd: string): readonly HostAccount[] {
  return passwd
    .split("\n")
    .map((line) => line.split(":"))
    .filter(([, , user, , , , shell = ""]) => Number(user) !== officialUser || !withoutLogin.test(shell))
    .filter(([name = "", , user = ""]) => name !== "" && /^\d+$/.test(user))
    .map(([name = "", , user]) => ({ name, user: Number(user) }));
}

/** The daemon's containers share the host's user ids: it is local, not rootless, and remaps no ids. */
async function sharesIds(): Promise<boolean> {
  if (process.platform !== "linux" || !daemonAddress().endpoint.startsWith("unix:")) return false;
  const { SecurityOptions = [] } = (await dockerClient().info()) as { SecurityOptions?: readonly string[] };
  return !SecurityOptions.some((option) => /^name=(rootless|userns)(,|$)/.test(option));
}

/** Accounts with these user ids, also of a directory that the host uses (nsswitch.conf). */
async function accountsWith(users: readonly number[]): Promise<readonly HostAccount[]> {
  if (users.length === 0 || !(await sharesIds())) return [];
  // Exit code 2: some of the ids have no account.
  const { stdout } = await runToEnd("getent", ["passwd", ...users.map(String)], { timeoutMilliseconds: 10_000 });
  return accountsIn(stdout);
}

const remedy =
  "give the account another user id (usermod --uid), or let the Docker daemon remap ids (userns-remap): docs/operate/deploy.md#accounts-of-the-host";

const described = (accounts: readonly HostAccount[]): string =>
  accounts.map(({ name, user }) => `${name} (user id ${user})`).join(", ");

/** @param official whether containers run official images @throws Failure that names the accounts */
export async function refuseSharedIds(official: boolean): Promise<void> {
  const accounts = await accountsWith(official ? [...serviceUsers, officialUser] : serviceUsers);
  if (accounts.length === 0) return;
  throw new Failure(
    `Accounts of this host have the user id of a container and could read its secrets: ${described(accounts)}`,
    { remedy },
  );
}

/** The same of a running stack, for its status. @param users of its containers, as `10103:10103` */
export async function sharedIdProblems(users: readonly string[]): Promise<readonly Problem[]> {
  const ids = new Set(users.map((user) => Number(user.split(":")[0])).filter((id) => id > 0));
  const accounts = await accountsWith([...ids]);
  if (accounts.length === 0) return [];
  return [
    { subject: "host", reason: `accounts can read the secrets of containers: ${described(accounts)}`, next: remedy },
  ];
}
