/**
 * AI preferences on the wire (draft-ietf-aipref-vocab-06): an RFC 9651 dictionary with the categories `train-ai` and
 * `search`, each `y` or `n`. Undeclared categories are omitted; absence expresses no preference.
 *
 * @module
 */
import { parseDictionary, writeTokens } from '../http/structured-dictionary.ts'

export const AI_PREF_DRAFT = 'draft-ietf-aipref-vocab-06'

/** In serialization order. */
export const AI_PREF_CATEGORIES = ['train-ai', 'search'] as const
export type AiPrefCategory = (typeof AI_PREF_CATEGORIES)[number]

/** Whether each declared category is allowed. */
export type AiPref = { readonly [C in AiPrefCategory]?: boolean }

/** Serializes as `train-ai=n, search=y`; '' if nothing is declared. */
export function writeAiPref(declared: AiPref): string {
  return writeTokens(
    AI_PREF_CATEGORIES.flatMap((category) => {
      const allowed = declared[category]
      return allowed === undefined ? [] : [[category, allowed ? 'y' : 'n'] as const]
    }),
  )
}

/**
 * Parses a field value; null if it is not a dictionary, in which case nothing in it counts. Categories of other
 * vocabularies are ignored. A value other than the token `y` or `n` counts as absent, even if an earlier member of the
 * same name was valid.
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

/** The `Content-Usage` header field (draft-ietf-aipref-attach) as a line; null if nothing is declared. */
export function contentUsageLine(declared: AiPref): string | null {
  const value = writeAiPref(declared)
  return value === '' ? null : `Content-Usage: ${value}`
}

/** The robots.txt rule of the same name, for paths that begin with `path`; null if nothing is declared. */
export function contentUsageRule(declared: AiPref, path = '/'): string | null {
  const value = writeAiPref(declared)
  return value === '' ? null : `Content-Usage: ${path} ${value}`
}
