/**
 * Finds wording that slows a reader down: citations of documents that are not in the repository, and phrases that
 * engineers do not use.
 *
 * @module
 */
export interface Stumble {
  readonly line: number
  readonly found: string
  readonly reason: string
}

/** The space between two words, including a line break inside a comment. */
const GAP = String.raw`(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*(?:\*|//|#|--)?[^\S\n]*)`

const phrase = (pattern: string, flags = 'gi') => new RegExp(pattern.replaceAll(' ', GAP), flags)

const UNPLAIN = 'write what an engineer would say'
const FOREIGN = 'cites a document that is not in the repository'

const BANNED: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  { pattern: phrase(String.raw`\bdocuments? [12]\b(?! of\b)`), reason: FOREIGN },
  { pattern: phrase(String.raw`\breadings \d+`), reason: FOREIGN },
  { pattern: phrase(String.raw`\b(?:house|design|platform|readings)\.md\b`), reason: FOREIGN },
  { pattern: phrase(String.raw`\bwho(?:m|se)?(?:so)?ever\b`), reason: UNPLAIN },
  // "There is no record" and "is no longer" are plain; "is no record" for "is not a record" is not.
  {
    pattern: phrase(String.raw`(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|such\b)[a-z]+`),
    reason: UNPLAIN,
  },
  { pattern: phrase(String.raw`\bAgain (?:is|gives|takes|makes) `, 'g'), reason: UNPLAIN },
  {
    pattern: phrase(String.raw`(?<!\b(?:each|all|both|some|none|many|most|one|two|three|any) )\bof which\b`),
    reason: UNPLAIN,
  },
  { pattern: phrase(String.raw`\bthe law of\b`), reason: UNPLAIN },
  { pattern: phrase(String.raw`\bas [a-z]+ as (?:[a-z]+ )?may be\b`), reason: UNPLAIN },
]

const PAGE = /(?<![\w./-])(?:docs|packages|scripts|workers)\/[\w./-]+\.md\b/g

/** Returns what to reword, in text order. `exists` tells whether the repository has a file. */
export function stumbles(text: string, exists: (path: string) => boolean): Stumble[] {
  const found = BANNED.flatMap(({ pattern, reason }) => [...text.matchAll(pattern)].map((match) => ({ match, reason })))
  const missing = [...text.matchAll(PAGE)]
    .filter(([path]) => !exists(path))
    .map((match) => ({ match, reason: FOREIGN }))
  return [...found, ...missing]
    .toSorted((a, b) => a.match.index - b.match.index)
    .map(({ match, reason }) => ({
      line: text.slice(0, match.index).split('\n').length,
      found: match[0].replaceAll(/\s+/g, ' '),
      reason,
    }))
}
