/** Phases of `up`, `preview` and `down` that both places have; those of one place stand in places/. */
import { builtImages, pulledImages } from "@routeql/infra/images";
import type { BuiltImage } from "@routeql/infra/images";
import { ensureBases } from "../docker/daemon/base-images.ts";
import { ensureImage, imageExists } from "@routeql/host/docker/build";
import { removeOldImages } from "../docker/daemon/old-images.ts";
import { ensureDaemon } from "../docker/daemon/daemon.ts";
import { pullImage } from "@routeql/host/docker/pull";
import { type Phase, phase, type Ready } from "../foundation/phases.ts";
import { Failure } from "@routeql/host/failure";
import { commitTime } from "@routeql/infra/build-number";
import { olderThanStack } from "@routeql/infra/release";
import { type RoleProblem, roleProblems } from "../database/role-logins.ts";
import { choosePlugins, type PluginKind, type Target } from "../pulumi/plugins.ts";
import { acquireCli, type PulumiCli } from "../pulumi/acquire.ts";
import { type StackConfiguration, withSettings } from "../configuration/configuration.ts";
import {
  chooseImages,
  describeChoice,
  describeReplacement,
  type ImageChoice,
  keepChoice,
  readChoice,
} from "../configuration/image-choice.ts";
import type { Permit } from "../ownership/ownership.ts";
import { storedDeployment, storedOutputs } from "../pulumi/recovery.ts";
import type { Session } from "../pulumi/session.ts";

type OnLine = (line: string) => void;

/** The stack of a phase and the files of its state. */
export type StackFiles = Pick<Session, "stack" | "paths">;

const imagesAtOnce = 3;

export const cliPhase = (onLine: OnLine): Phase & Ready<PulumiCli> =>
  phase("Pulumi CLI", async (context) => {
    const cli = await acquireCli({ ...context, onLine });
    return [cli, cli.origin];
  });

/** @param check of the host, once the daemon answers */
export const daemonPhase = (onLine: OnLine, check = async (): Promise<void> => undefined): Phase => ({
  title: "Docker daemon",
  work: async (context) => {
    const daemon = await ensureDaemon({ ...context, onLine });
    await check();
    return daemon;
  },
});

const day = 86_400_000;

/**
 * Refuses a clock that is certainly behind: certificates and tokens of the stack would not be valid yet, and new ones would end early.
 * @param built when the checkout's newest commit was made, by another clock; undefined if it is unknown @throws Failure
 */
export function requireClock(built: number | undefined, now: number): void {
  if (built === undefined || now > built - day) return;
  const [shown, newest] = [now, built].map((time) => new Date(time).toISOString());
  throw new Failure(`The clock of this machine shows ${shown}, before the newest commit of this checkout (${newest})`, {
    remedy: "timedatectl shows whether NTP sets the clock; correct it, then run this command again.",
  });
}

/** Checked before anything is built: a stack of this name may belong to another checkout, or be of a newer version. */
export const ownerPhase = ({ stack, paths }: StackFiles, check: () => Promise<Permit>): Phase & Ready<Permit> =>
  phase("Ownership", async () => {
    const older = olderThanStack(stack, (await storedOutputs(paths, stack))["release"]);
    if (older !== undefined) throw new Failure(older.problem, { remedy: older.remedy });
    requireClock(commitTime(), Date.now());
    const permit = await check();
    return [permit, permit.replaces ? `takes over the name ${stack}` : `${stack} belongs to this checkout`];
  });

/** The images of a stack, and the configuration with them. */
export interface Chosen {
  readonly choice: ImageChoice;
  readonly configuration: StackConfiguration;
}

/** @param check before images are chosen */
export const choicePhase = (
  { paths }: StackFiles,
  given: StackConfiguration,
  check = async (): Promise<void> => undefined,
): Phase & Ready<Chosen> =>
  phase("Engine and images", async () => {
    await check();
    const choice = await chooseImages(given, await readChoice(paths));
    const configuration = withSettings(given, choice.instead);
    return [{ choice, configuration }, describeChoice(choice, configuration)];
  });

/** The use of a choice after an update, which a failed one may need too; a run that created nothing stores nothing. */
export const choiceOf = ({ stack, paths }: StackFiles, chosen: Ready<Chosen>) => ({
  replacement: () => describeReplacement(chosen.result.choice),
  async keepChoice() {
    const { resources = [] } = await storedDeployment(paths, stack);
    if (resources.some(({ type }) => /^(docker|kubernetes):/.test(type))) await keepChoice(paths, chosen.result.choice);
  },
});

/** The configuration with the base images of this machine. */
export const basesPhase = (before: () => StackConfiguration, onLine: OnLine): Phase & Ready<StackConfiguration> =>
  phase("Base images", async (context) => {
    const configuration = before();
    const { given, plain } = configuration;
    const isDefault = given.nodeBase === undefined && given.imageMirror === undefined;
    const { nodeBase, origin } = await ensureBases(plain, isDefault, { ...context, onLine });
    return [nodeBase === plain.nodeBase ? configuration : withSettings(configuration, { nodeBase }), origin];
  });

/** Builds in rounds: an image comes after its base image. */
function rounds(images: readonly BuiltImage[]): readonly BuiltImage[][] {
  const names = new Set(images.map(({ imageName }) => imageName));
  const startsFromOne = ({ args }: BuiltImage): boolean =>
    Object.values(args).some((reference) => names.has(reference));
  return [images.filter((image) => !startsFromOne(image)), images.filter(startsFromOne)];
}

export function basesOf(images: readonly BuiltImage[]): readonly string[] {
  const built = new Set(images.map(({ imageName }) => imageName));
  return [...new Set(images.flatMap(({ args }) => Object.values(args)))].filter((reference) => !built.has(reference));
}

export function imagesPhase(configuration: Ready<StackConfiguration>, onLine: OnLine): Phase {
  return {
    title: "Images",
    work: async (context) => {
      const { plain } = configuration.result;
      const images = builtImages(plain);
      const steps = new Map<string, string>();
      const built: string[] = [];
      const pulled: string[] = [];
      // A build pulls its base without the credentials of docker login, so the base must be local before.
      for (const imageName of new Set([...pulledImages(plain).map(({ imageName }) => imageName), ...basesOf(images)])) {
        if (await imageExists(imageName)) continue;
        await pullImage(imageName, { ...context, onLine });
        pulled.push(imageName);
      }
      for (const waiting of rounds(images)) {
        const lane = async (): Promise<void> => {
          for (let image = waiting.shift(); image; image = waiting.shift()) {
            const { name } = image;
            const show = (line: string): void => {
              onLine(`[${name}] ${line}`);
              if (line.startsWith("Step ")) steps.set(name, /^Step \d+\/\d+/.exec(line)?.[0].slice(5) ?? "");
              context.show(`building ${[...steps].map(([key, step]) => `${key} ${step}`).join(", ")}`);
            };
            if ((await ensureImage(image, { onLine: show, signal: context.signal })) === "built") built.push(name);
            steps.delete(name);
          }
        };
        await Promise.all(Array.from({ length: imagesAtOnce }, lane));
      }
      await removeOldImages(images.map(({ imageName }) => imageName));
      const done = [
        ...(pulled.length > 0 ? [`pulled ${pulled.join(", ")}`] : []),
        ...(built.length > 0 ? [`built ${built.join(", ")}`] : []),
      ];
      return done.length === 0 ? "present" : done.join("; ");
    },
  };
}

/** Tries the login of each role of a running database: a service can change its own password and settings. Returns the broken ones. */
export const loginsPhase = ({ stack, paths }: StackFiles, onLine: OnLine): Phase & Ready<readonly RoleProblem[]> =>
  phase("Database roles", async ({ signal }) => {
    if ((await storedOutputs(paths, stack))["services"] === undefined) return [[], "skipped, the stack is new or down"];
    const problems = await roleProblems(stack, signal);
    const found = problems.map(({ role, reason }) => `${role} ${reason}`).join("; ");
    if (problems.length === 0) return [problems, "every role works"];
    onLine(found);
    return [problems, `${found}; the job migrate runs again and repairs this`];
  });

export const pluginsPhase = (
  { paths }: StackFiles,
  cli: Ready<PulumiCli>,
  onLine: OnLine,
  target?: Target,
): Phase & Ready<PluginKind> =>
  phase("Provider plugins", async (context) => {
    const plugins = await choosePlugins(paths, { ...context, command: cli.result.command, target, onLine });
    return [
      plugins,
      plugins === "official"
        ? "official"
        : "this project's replacements (offline/plugins/), because this machine has no official plugins",
    ];
  });
