// The session of the samples in Node, with user name and password from the environment. A page takes both from its form.
import { createSession, passwordLogin } from "./session.mjs";

export const api = process.env.ROUTEQL_URL;
export const session = createSession(passwordLogin(api, process.env.ROUTEQL_USER, process.env.ROUTEQL_PASSWORD));
