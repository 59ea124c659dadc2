/**
 * The engine of the stack under test, from the variables that `npm test` received: ENGINE, HASURA_IMAGE, FRONT.
 * @module
 */
import { ownEngineImage } from "@routeql/infra/settings/image-settings";

const { ENGINE: engine, HASURA_IMAGE: image, FRONT: front } = process.env;
/** Whether Hasura itself executes the operations. */
const isHasura = engine === "hasura" && image !== ownEngineImage;

/** Whether the front stands before Hasura as a service of its own. */
export const hasFront = isHasura && front !== "false";

/** Whether Hasura answers the gateway itself, without the front's limits. */
export const isBareHasura = isHasura && !hasFront;
