import { serveProvider } from "../provider/serve.ts";
import { provider } from "./stand-in.ts";

await serveProvider(provider);
