/**
 * Ids are base64url, and one of 64 begins with a hyphen. The parser would take it for an option, so it gets a mark in
 * front of it, which goes again before a command sees it.
 *
 * @module
 */
const MARK = '\u{E000}'

/** No short option has a name of this length, and no long one has capitals, digits or underscores. */
const isId = (word: string) => /^-[\w-]{15,}$/.test(word) && (!word.startsWith('--') || /[A-Z\d_]/.test(word))

export const markIds = (words: readonly string[]) => words.map((word) => (isId(word) ? MARK + word : word))

/** What a parser made of marked words: a word, or a list or an object of them. */
export function unmarked<T>(value: T): T {
  if (typeof value === 'string') return (value.startsWith(MARK) ? value.slice(MARK.length) : value) as T
  if (Array.isArray(value)) return value.map(unmarked) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarked<unknown>(member)])) as T
}
