/**
 * The engine of the stack under test, from the variables that `npm test` received: ENGINE, HASURA_IMAGE, FRONT.
 * @module
 */
const { ENGINE: engine, FRONT: front } = process.env;

/** Whether the front stands before Hasura as a service of its own. */
export const hasFront = engine === "hasura" && front === "true";

/** Whether Hasura answers the gateway itself, without the front's limits. */
export const isBareHasura = engine === "hasura" && !hasFront;
