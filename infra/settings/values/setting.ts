/** Type of a setting. The settings are in list.ts, which is the source for all descriptions and checks. */

export type SettingType = "text" | "number" | "flag" | "secret" | "file";

/** The parsed value of a setting type. A `file` is a path; a `secret` is the secret text. */
export type ValueOf<Type extends SettingType> = Type extends "number" ? number : Type extends "flag" ? boolean : string;

/** Returns the problem of a value as the end of the sentence "<setting> …", or undefined. Never repeats a secret. */
export type Check<Type extends SettingType> = (value: ValueOf<Type>) => string | undefined;

/** The names that a user writes for a setting. A third name is the key of its declaration: that of the stack's configuration. */
export interface Names {
  /** Argument of the component, with its group: `gateway.httpsPort`. */
  readonly argument: string;
  /** Name in the environment file. */
  readonly environment: string;
}

export interface Setting<Type extends SettingType = SettingType> extends Names {
  readonly type: Type;
  /** Variable of the auth sidecar that gets the value, without further code. */
  readonly variable?: string;
  /** For docs/reference/settings.md, Pulumi.yaml and .env.example: one or two sentences. */
  readonly meaning: string;
  /** Used when neither the stack's configuration nor the environment file has a value. */
  readonly default?: ValueOf<Type>;
  /** Other defaults for stacks of these names. */
  readonly defaultIn?: Readonly<Record<string, ValueOf<Type>>>;
  /** Generated at the first start and kept in the stack's state. */
  readonly generated?: boolean;
  /** Decides which resources exist, so its value must be known before the deployment: it cannot be an output of another resource. */
  readonly structural?: true;
  /** Of a file whose text is secret: an SDK marks the argument as a secret. */
  readonly confidential?: true;
  readonly check?: Check<Type>;
  /** Requirement of the check in plain words, for the reference. */
  readonly allowed?: string;
}

type Rest<Type extends SettingType> = Omit<Setting<Type>, "type">;

export const text = <const Given extends Rest<"text">>(rest: Given) => ({ type: "text" as const, ...rest });
export const number = <const Given extends Rest<"number">>(rest: Given) => ({ type: "number" as const, ...rest });
export const flag = <const Given extends Rest<"flag">>(rest: Given) => ({ type: "flag" as const, ...rest });
export const file = <const Given extends Rest<"file">>(rest: Given) => ({ type: "file" as const, ...rest });

type SecretRest = Omit<Rest<"secret">, "default" | "defaultIn" | "generated">;
/** Generated if not given. */
export const secret = <const Given extends SecretRest>(rest: Given) => ({
  type: "secret" as const,
  generated: true as const,
  ...rest,
});
/** Absent if not given. */
export const givenSecret = <const Given extends SecretRest>(rest: Given) => ({ type: "secret" as const, ...rest });
