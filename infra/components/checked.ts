import { secret } from "@pulumi/pulumi";
import type { Input, Output } from "@pulumi/pulumi";
import { SettingsError } from "../settings/error.ts";
import type { SecretSettingName } from "../settings/list.ts";
import { checkValue } from "../settings/parse.ts";

export type GivenSecrets = { readonly [Name in SecretSettingName]?: Input<string> };

/** A given secret, validated as soon as its value is known. */
export function checked(name: SecretSettingName, given: Input<string>): Output<string> {
  return secret(given).apply((value) => {
    const problem = checkValue(name, value);
    if (problem !== undefined) throw new SettingsError([{ name, place: "argument", problem }]);
    return value;
  });
}
