/**
 * How examples of bodies are recorded (`examples.json` of each Worker).
 *
 * @module
 */

/** By operation, then by body. */
export type RecordedExamples = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** `request`, or the status of an answer, with its media type unless that is JSON. */
export type BodyName = 'request' | `${number}` | `${number} ${string}`

export const answerName = (status: number | string, contentType: string): BodyName =>
  contentType === 'application/json' ? `${Number(status)}` : `${Number(status)} ${contentType}`

/** Characters that are kept at each end. */
const END = 6
const ELIDED = new RegExp(`^(.{${END}})…(\\d+)…(.{${END}})$`)

/**
 * Longer text of one alphabet, such as a signature or a hash, is recorded by its ends and the number of characters between:
 * nothing compresses it, and every Worker carries its examples.
 */
const MAX_RECORDED = 80

/** A text as it is recorded. */
export function elided(text: string): string {
  if (text.length <= MAX_RECORDED || !/^[\w-]+$/.test(text)) return text
  return `${text.slice(0, END)}…${text.length - 2 * END}…${text.slice(-END)}`
}

/** A recorded value with its texts at their length: what was left out is zeros in hex, and otherwise the letter A. */
export function expanded(value: unknown): unknown {
  if (typeof value === 'string') {
    const [, start = '', count, end = ''] = ELIDED.exec(value) ?? []
    if (count === undefined) return value
    return `${start}${(/^[0-9a-f]+$/.test(start + end) ? '0' : 'A').repeat(Number(count))}${end}`
  }
  if (Array.isArray(value)) return value.map(expanded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expanded(member)]))
}
