import { expect, test } from "vitest";
import { copiedSources } from "./dockerfile.ts";

test("lists copies from the context once each, without copies between stages", () => {
  const dockerfile = `
FROM base AS build
# COPY not this
COPY package.json package-lock.json ./
copy --chown=1:1 engine /routeql/engine
COPY engine \\
  contract \\
  /routeql/
FROM base
COPY --from=build /usr/local/bin/node /usr/local/bin/node
RUN echo COPY nothing /
`;
  expect(copiedSources(dockerfile)).toEqual(["package.json", "package-lock.json", "engine", "contract"]);
});

test.each(["ADD a b", "COPY *.json ./", 'COPY ["a", "b"]', "COPY $A b", "COPY <<EOF b", "COPY a"])(
  "%s is refused",
  (instruction) => {
    expect(() => copiedSources(instruction)).toThrow(instruction);
  },
);
