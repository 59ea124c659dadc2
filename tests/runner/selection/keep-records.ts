import { messageOf } from "@routeql/host/failure";
import { repository } from "../../harness/repository.ts";
import type { SuiteResult } from "../results.ts";
import type { Suite } from "../suites.ts";
import { suiteInputs } from "./inputs.ts";
import { verdicts, writeRecord } from "./records.ts";
import { objectsOf, type Objects } from "./tree.ts";

/** The working tree at one time: the inputs of a suite, or undefined if git cannot read the tree. */
export type InputsOf = (suite: string) => Objects | undefined;

/** Reads the inputs of all suites. Prints the reason if git cannot. */
export function readInputs(say: (text: string) => void): InputsOf {
  const paths = [...new Set(Object.values(suiteInputs).flatMap(({ inputs }) => inputs))];
  let objects: Objects;
  try {
    objects = objectsOf(paths, repository);
  } catch (error) {
    say(`${messageOf(error)}\nWithout it, every suite runs and none gets a record.`);
    return () => undefined;
  }
  return (suite) =>
    Object.fromEntries(
      suiteInputs[suite]!.inputs.flatMap((path) => (objects[path] === undefined ? [] : [[path, objects[path]]])),
    );
}

const areEqual = (one: Objects, other: Objects): boolean => {
  const paths = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...paths].every((path) => one[path] === other[path]);
};

/** Writes a record for each suite that passed completely, if its inputs stayed the same from the start of the run to its end. */
export function keepRecords(
  selected: readonly Suite[],
  results: readonly SuiteResult[],
  before: InputsOf,
  say: (text: string) => void,
): void {
  const after = readInputs(say);
  for (const { result, reason } of verdicts(selected, results)) {
    const { suite } = result;
    const [first, last] = [before(suite), after(suite)];
    if (reason !== undefined) say(`no record of ${suite}: ${reason}`);
    else if (first === undefined || last === undefined) say(`no record of ${suite}: git cannot read its inputs`);
    else if (!areEqual(first, last)) say(`no record of ${suite}: its inputs changed during the run`);
    else say(`record of ${suite}, to commit with the change: ${writeRecord(repository, result, last, new Date())}`);
  }
}
