/** Type of a setting. The settings are in list.ts, which is the source for all descriptions and checks. */

export type SettingType = "text" | "number" | "flag" | "secret" | "file";

/** The parsed value of a setting type. A `file` is a path; a `secret` is the secret text. */
export type ValueOf<Type extends SettingType> = Type extends "number" ? number : Type extends "flag" ? boolean : string;

/** Returns the problem of a value as the end of the sentence "<setting> …", or undefined. Never repeats a secret. */
export type Check<Type extends SettingType> = (value: ValueOf<Type>) => string | undefined;

export interface Setting<Type extends SettingType = SettingType> {
  readonly type: Type;
  /** Name in the environment file; follows from the setting's name unless the declaration gives another one. */
  readonly environment: string;
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
  /** Group of the component's argument, where it does not follow from the first word of the name (groups.ts). */
  readonly group?: string;
  readonly check?: Check<Type>;
  /** Service that gets the value under the same variable name, without further code. */
  readonly service?: "auth-sidecar";
  /** Requirement of the check in plain words, for the reference. */
  readonly allowed?: string;
}

export type Declaration<Type extends SettingType = SettingType> = Omit<Setting<Type>, "environment"> & {
  readonly environment?: string;
};
type Rest<Type extends SettingType> = Omit<Declaration<Type>, "type">;

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

type Named<Declared> = { readonly [Name in keyof Declared]: Declared[Name] & Pick<Setting, "environment"> };

/** Adds the names in the environment file: `httpsPort` becomes `HTTPS_PORT`. */
export const withEnvironmentNames = <const Declared extends Readonly<Record<string, Declaration>>>(
  declared: Declared,
): Named<Declared> =>
  Object.fromEntries(
    Object.entries(declared).map(([name, declaration]) => [
      name,
      { environment: name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(), ...declaration },
    ]),
  ) as Named<Declared>;
