/** The engine of the stack under test, from the variables that `npm test` received: ENGINE, HASURA_IMAGE, FRONT. */
import { engineSettings, ownEngineImage } from "@routeql/infra/settings/declared/images";

const { ENGINE: engine, HASURA_IMAGE: image, FRONT: front } = process.env;

/**
 * The stack's settings for this engine: `ENGINE=hasura npm run test:e2e` runs the same tests on Hasura's image, or on HASURA_IMAGE. The
 * image is set explicitly, so that the embedded engine cannot replace it unnoticed. `npm run verify` sets the variables before it calls this.
 */
export function engineOfTheRun(): Readonly<Record<string, string>> {
  const { ENGINE, HASURA_IMAGE, FRONT } = process.env;
  const hasuraImage = HASURA_IMAGE ?? (ENGINE === "hasura" ? engineSettings.hasuraImage.default : undefined);
  return {
    ...(ENGINE === undefined ? {} : { engine: ENGINE }),
    ...(FRONT === undefined ? {} : { front: FRONT }),
    ...(hasuraImage === undefined ? {} : { hasuraImage }),
  };
}

/** Whether Hasura itself executes the operations. */
const isHasura = engine === "hasura" && image !== ownEngineImage;

/** Whether the front stands before Hasura as a service of its own. */
export const hasFront = isHasura && front !== "false";

/** Whether Hasura answers the gateway itself, without the front's limits. */
export const isBareHasura = isHasura && !hasFront;
