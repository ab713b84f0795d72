/**
 * AI preferences on the wire (draft-ietf-aipref-vocab-06, document 2 section 2.1): a dictionary of RFC 9651 with the
 * categories `train-ai` and `search`, each `y` or `n`. What is not declared is not written: its absence says nothing.
 *
 * @module
 */
import { parseDictionary, writeTokens } from './structured-dictionary.ts'

export const AI_PREF_DRAFT = 'draft-ietf-aipref-vocab-06'

/** In the order in which they are written. */
export const AI_PREF_CATEGORIES = ['train-ai', 'search'] as const
export type AiPrefCategory = (typeof AI_PREF_CATEGORIES)[number]

/** Whether each declared category is allowed. */
export type AiPref = { readonly [C in AiPrefCategory]?: boolean }

/** `train-ai=n, search=y`; '' when nothing is declared. */
export function writeAiPref(declared: AiPref): string {
  return writeTokens(
    AI_PREF_CATEGORIES.flatMap((category) => {
      const allowed = declared[category]
      return allowed === undefined ? [] : [[category, allowed ? 'y' : 'n'] as const]
    }),
  )
}

/**
 * What a field value declares, or null when it is not a dictionary, so that nothing in it counts. Categories of other
 * vocabularies are ignored; a value that is neither the token `y` nor `n` is as if it were absent, also where an earlier
 * member of the same name was one of them.
 */
export function parseAiPref(text: string): AiPref | null {
  const members = parseDictionary(text)
  if (!members) return null
  const declared: { [C in AiPrefCategory]?: boolean } = {}
  for (const category of AI_PREF_CATEGORIES) {
    const member = members.get(category)
    if (member?.type !== 'token') continue
    if (member.value === 'y') declared[category] = true
    if (member.value === 'n') declared[category] = false
  }
  return declared
}

/** The `Content-Usage` header field (draft-ietf-aipref-attach) as a line; null when nothing is declared. */
export function contentUsageLine(declared: AiPref): string | null {
  const value = writeAiPref(declared)
  return value === '' ? null : `Content-Usage: ${value}`
}

/** The rule of the same name in a robots.txt, for paths that begin with `path`; null when nothing is declared. */
export function contentUsageRule(declared: AiPref, path = '/'): string | null {
  const value = writeAiPref(declared)
  return value === '' ? null : `Content-Usage: ${path} ${value}`
}
