import { answerMessages } from "./helper-process.ts";
import { putLoad, type Load, type Target } from "./http-load.ts";

answerMessages(({ target, load }: { target: Target; load: Load }) => putLoad(target, load));
