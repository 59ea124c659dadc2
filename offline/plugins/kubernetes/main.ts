import { serveProvider } from "../shared/serve.ts";
import { provider } from "./stand-in.ts";

await serveProvider(provider);
