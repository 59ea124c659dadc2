import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";

/** libpq's variables: node-postgres would use them where a stack gives no value. */
const ofDatabases =
  /^PG(?:HOST|HOSTADDR|PORT|DATABASE|USER|PASSWORD|PASSFILE|SERVICE|SERVICEFILE|OPTIONS|APPNAME|BINARY|REPLICATION|CONNECT_TIMEOUT|CLIENTENCODING|CLIENT_ENCODING|REQUIREAUTH|REQUIRESSL|CHANNELBINDING|SSL[A-Z]+|GSS[A-Z]+|TARGETSESSIONATTRS|LOADBALANCEHOSTS|TZ|DATESTYLE|GEQO)$/;
/** Git sets them for its hooks. */
const ofRepositories =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|PREFIX|COMMON_DIR|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE)$/;
/** All gRPC of a command stays on this machine. */
const ofProxies = /^(?:no_)?grpc_proxy$/;
/** Pulumi's variables, such as PULUMI_OPTION_TARGET, except settings of the machine. The passphrase is kept for an error that names it. */
const ofProjects = /^PULUMI_(?!(?:HOME|PARALLEL|DEBUG_GRPC|PLUGIN_DOWNLOAD_URL_OVERRIDES|CONFIG_PASSPHRASE|K8S_\w+)$)/;

/**
 * Names of the variables of other databases, repositories and projects, which a command must not inherit.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {string[]}
 */
export const foreignVariables = (environment) =>
  Object.keys(environment).filter((name) =>
    [ofDatabases, ofRepositories, ofProxies, ofProjects].some((pattern) => pattern.test(name)),
  );

/** Undefined for a user id without an entry in the password database, as in some containers. */
function accountOfUser() {
  try {
    return userInfo();
  } catch {
    return undefined;
  }
}

/**
 * HOME and USER where they are missing, as in services and containers: Pulumi's CLI fails without both if the user has no account.
 * @param {NodeJS.ProcessEnv} environment
 * @param {string} project folder of the checkout, whose `.tools` replaces a home
 * @param {() => { username: string, homedir: string } | undefined} accountOf
 * @returns {Record<string, string>} variables to set
 */
export function missingIdentity(environment, project, accountOf = accountOfUser) {
  const { HOME: home = "", USER: user = "" } = environment;
  if (isAbsolute(home) && user !== "") return {};
  const account = accountOf();
  return {
    ...(isAbsolute(home) ? {} : { HOME: account?.homedir || join(project, ".tools/home") }),
    ...(user === "" ? { USER: account?.username ?? `user-${process.getuid?.()}` } : {}),
  };
}

const reasons = {
  ENOENT: "does not exist",
  ENOTDIR: "is no folder",
  EROFS: "is read-only",
  EACCES: "cannot be written by this user",
};

/**
 * Why the folder in TMPDIR cannot have temporary files: the variable may be inherited from another user or another machine.
 * @returns {{ what: string, remedy: string } | undefined}
 */
export function unusableTemporaryFolder() {
  const variable = ["TMPDIR", "TMP", "TEMP"].find((name) => process.env[name]);
  if (variable === undefined) return undefined;
  try {
    rmdirSync(mkdtempSync(join(tmpdir(), "routeql-")));
    return undefined;
  } catch (error) {
    // A full disk is reported by the work that needs it: others, such as the status, continue.
    const reason = reasons[error.code];
    return (
      reason && {
        what: `The folder for temporary files ${tmpdir()}, set in ${variable}, ${reason}`,
        remedy: `unset ${variable}, or set it to a folder that this user can write.`,
      }
    );
  }
}
