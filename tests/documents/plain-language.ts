/**
 * Finds patterns that break the project's plain-language rules: jargon, also in messages, long test titles and comment lines, and long lines and
 * sentences in Markdown.
 */

/** Words without a clear meaning, and the words to use instead. */
const jargon: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwho(so)?ever\b/i, "the client, the user, the caller"],
  [/\b(somebody|someone else|nobody|anybody)\b/i, "the actor's name: client, user, operator, no client"],
  [/\b(gives?|given|gave|giving) up\b/i, "fail, time out, cancel, release"],
  [/\b(held|holds?) to\b/i, "tested against, limited to, required to"],
  [/\b(takes?|taken|took|taking) away\b/i, "delete, remove, revoke"],
  [/\b(made|makes?|making) anew\b|\banew\b/i, "recreate, again"],
  [/\blet(s|ting)? go\b/i, "release, delete"],
  [/\btell(s|ing)? of\b|\btold of\b/i, "report, log"],
  [/\b(all )?(that is|that are) graver\b|\bgraver\b/i, "more severe"],
  [/\b(comes?|came|coming) of it\b/i, "result"],
  [/\bgo(es)? on\b|\bwent on\b/i, "continue"],
  [/\bneighbours?\b/i, "the other statement, the other service"],
  [/\bmetadata (are|have|were|do)\b/i, "metadata is, has, was, does"],
  [/\bmade-up\b/i, "generated"],
];

export interface Finding {
  readonly line: number;
  readonly problem: string;
}

/** Findings in one line of prose; code in backticks is ignored. */
export function jargonIn(text: string): string[] {
  const prose = text.replaceAll(/`[^`]*`/g, "");
  return jargon.flatMap(([pattern, instead]) => {
    const [found] = pattern.exec(prose) ?? [];
    return found === undefined ? [] : [`"${found}": write ${instead}`];
  });
}

/** Longest test title, in characters. */
const longestTitle = 90;

/** Longest line with a comment, in characters. The formatter breaks the other lines. */
const longestComment = 160;

/** Comments and test titles of a source file. */
export function sourceFindings(source: string): Finding[] {
  const lines = source.split("\n");
  return lines.flatMap((text, index) => {
    const line = index + 1;
    const comment = /^\s*(?:\/\*\*?|\*|\/\/)\s?(.*)$/.exec(text)?.[1] ?? /\s\/\/ (.*)$/.exec(text)?.[1];
    const call = /(?:(?<![.\w])(?:test|describe|attacks)(?:\.each\(.*\))?|^\s*[\])]+)\($/.test(lines[index - 1] ?? "")
      ? `test(${text.trim()}`
      : text;
    const title = /(?<![.\w])(?:test|describe|attacks)(?:\.each\(.*\))?\(\s*"((?:[^"\\]|\\.)*)"/.exec(call)?.[1];
    const findings = [comment, title].flatMap((prose) => (prose === undefined ? [] : jargonIn(prose)));
    if (title !== undefined && title.length > longestTitle)
      findings.push(`a title of ${title.length} characters; at most ${longestTitle}`);
    if (comment !== undefined && text.length > longestComment)
      findings.push(`a comment line of ${text.length} characters; at most ${longestComment}`);
    return findings.map((problem) => ({ line, problem }));
  });
}

/** A string of at least four words, such as a text of an error or of a command's help. */
const message = /"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** Jargon in the strings of a source file, outside of comments. */
export function messageFindings(source: string): Finding[] {
  return source.split("\n").flatMap((text, index) => {
    if (/^\s*(\/\*|\*|\/\/)/.test(text)) return [];
    const messages = [...text.matchAll(message)].map(([, plain, template]) => plain ?? template ?? "");
    return messages
      .filter((each) => each.trim().split(/\s+/).length >= 4)
      .flatMap((each) => jargonIn(each.replaceAll("\\`", "`")))
      .map((problem) => ({ line: index + 1, problem }));
  });
}

/** Longest line of a Markdown page that is neither a table nor code, in characters. */
const longestLine = 200;
/** Longest sentence of a Markdown page, in words. */
const longestSentence = 50;

/** Prose of a Markdown page. */
export function pageFindings(page: string): Finding[] {
  const findings: Finding[] = [];
  let code = false;
  for (const [index, text] of page.split("\n").entries()) {
    if (/^\s*```/.test(text)) code = !code;
    else if (!code) {
      const line = index + 1;
      for (const problem of jargonIn(text)) findings.push({ line, problem });
      if (!/^\s*(\||<|\[)/.test(text) && text.length > longestLine)
        findings.push({ line, problem: `a line of ${text.length} characters; at most ${longestLine}` });
    }
  }
  for (const sentence of sentencesOf(page)) {
    const words = sentence.text.split(/\s+/).length;
    if (words > longestSentence)
      findings.push({ line: sentence.line, problem: `a sentence of ${words} words; at most ${longestSentence}` });
  }
  return findings;
}

function sentencesOf(page: string): { readonly line: number; readonly text: string }[] {
  const blocks = page.replaceAll(/^```.*?^```/gms, (code) => "\n".repeat(code.split("\n").length - 1)).split("\n");
  const sentences: { line: number; text: string }[] = [];
  let paragraph: { line: number; text: string } | undefined;
  const end = (): void => {
    if (paragraph === undefined) return;
    const { line, text } = paragraph;
    sentences.push(...text.split(/(?<=[.!?:;])\s+(?=[A-Z`[(*])/).map((sentence) => ({ line, text: sentence })));
    paragraph = undefined;
  };
  for (const [index, text] of blocks.entries()) {
    if (/^\s*($|\||#|<|>)/.test(text)) end();
    else if (/^\s*([-*]|\d+\.)\s/.test(text) || paragraph === undefined) {
      end();
      paragraph = { line: index + 1, text };
    } else paragraph.text += ` ${text}`;
  }
  end();
  return sentences;
}
