/** Words that published defaults, examples and templates use as secrets; compared without case and punctuation. */
const known = new Set(
  [
    "admin adminsecret admin123 artemis artemisng test test123 testtest secret mysecret myadminsecretkey",
    "supersecret verysecret topsecret password passw0rd password1 password123 postgres postgrespassword root toor",
    "user guest default example sample demo changeme changethis changemenow pleasechangeme pleasechangethis",
    "replaceme replacethis letmein welcome welcome1 qwerty qwertyuiop abc123 iloveyou routeql routeqlowner",
    "routeqlsidecar hasura hasurasecret jwtsecret jwtsecretkey apikey serviceapikey accesskey engineaccesskey",
    "masterkey keyencryptionkey yoursecret yoursecretkey yoursecrethere insecure todo fixme none null undefined",
  ].flatMap((line) => line.split(" ")),
);

/** Why a secret of fewer than `minimum` characters or a weak one is rejected, as the end of a sentence; undefined if acceptable. */
export function secretWeakness(secret: string, minimum: number): string | undefined {
  if (isKnownSecret(secret)) return "is a known default or example value";
  if (secret.length < minimum) return `must have at least ${minimum} characters`;
  if (new Set(secret).size < Math.min(8, minimum)) return "repeats too few different characters";
  if (isSequence(secret)) return "is a plain sequence of characters";
  return undefined;
}

/** True for a published default, even when it is repeated or followed by digits to reach a length. */
export function isKnownSecret(secret: string): boolean {
  const plain = secret.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (known.has(plain) || known.has(plain.replace(/\d+$/, ""))) return true;
  const period = smallestPeriod(plain);
  return period < plain.length && known.has(plain.slice(0, period));
}

function smallestPeriod(text: string): number {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.length % period === 0 && text.slice(0, period).repeat(text.length / period) === text) return period;
  }
  return text.length;
}

function isSequence(secret: string): boolean {
  let steps = 0;
  for (let index = 1; index < secret.length; index++) {
    if (Math.abs(secret.charCodeAt(index) - secret.charCodeAt(index - 1)) <= 1) steps++;
  }
  return steps >= (secret.length - 1) * 0.8;
}
