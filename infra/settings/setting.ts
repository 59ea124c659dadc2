/**
 * What a setting is. The list itself is in list.ts; everything about a setting that a person reads or that a program checks comes
 * from there.
 * @module
 */

export type SettingType = "text" | "number" | "flag" | "secret" | "file";

/** The value of a setting of a type, once read. A `file` is a path; a `secret` is the text to be kept. */
export type ValueOf<Type extends SettingType> = Type extends "number" ? number : Type extends "flag" ? boolean : string;

/** Says what is wrong with a value, as the end of the sentence "<setting> …", or nothing. Never repeats a secret. */
export type Check<Type extends SettingType> = (value: ValueOf<Type>) => string | undefined;

export interface Setting<Type extends SettingType = SettingType> {
  readonly type: Type;
  /** Name in the environment file. */
  readonly environment: string;
  /** For docs/reference/settings.md, Pulumi.yaml and the component's arguments: one or two sentences. */
  readonly meaning: string;
  /** Used when neither the stack's configuration nor the environment file has a value. */
  readonly default?: ValueOf<Type>;
  /** Other defaults for stacks of these names. */
  readonly defaultIn?: Readonly<Record<string, ValueOf<Type>>>;
  /** Made at the first start, kept in the stack's state. */
  readonly generated?: boolean;
  readonly check?: Check<Type>;
  /** What the check asks for, in words, for the reference. */
  readonly allowed?: string;
}

type Rest<Type extends SettingType> = Omit<Setting<Type>, "type">;

export const text = <const Given extends Rest<"text">>(rest: Given) => ({ type: "text" as const, ...rest });
export const number = <const Given extends Rest<"number">>(rest: Given) => ({ type: "number" as const, ...rest });
export const flag = <const Given extends Rest<"flag">>(rest: Given) => ({ type: "flag" as const, ...rest });
export const file = <const Given extends Rest<"file">>(rest: Given) => ({ type: "file" as const, ...rest });

type SecretRest = Omit<Rest<"secret">, "default" | "defaultIn" | "generated">;
/** Generated where none is given. */
export const secret = <const Given extends SecretRest>(rest: Given) => ({
  type: "secret" as const,
  generated: true as const,
  ...rest,
});
/** Absent where none is given. */
export const givenSecret = <const Given extends SecretRest>(rest: Given) => ({ type: "secret" as const, ...rest });
