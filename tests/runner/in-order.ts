import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** `11-gateway.test.ts` of one folder comes before `12-…` of another. */
const placeOf = ({ moduleId }: TestSpecification): string => `${basename(moduleId)} ${moduleId}`;

/** Runs files in the order of their names, so that the end-to-end suite follows the specification from its first line to its last. */
export default class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)));
  }
}
