/** The text of a form's field, without spaces around it. */
export function textField(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === "string" ? value.trim() : "";
}
