import { accessSync, constants, statSync } from "node:fs";
import { userInfo } from "node:os";
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

/**
 * Variables that name no writable folder for temporary files: they may be inherited from another user or another machine. Without them, Node and
 * its children use /tmp.
 * @param {NodeJS.ProcessEnv} environment
 * @returns {string[]}
 */
export const unusableTemporaryFolders = (environment) =>
  ["TMPDIR", "TMP", "TEMP"].filter((name) => {
    if (!environment[name]) return false;
    try {
      accessSync(environment[name], constants.W_OK | constants.X_OK);
      return !statSync(environment[name]).isDirectory();
    } catch {
      return true;
    }
  });
