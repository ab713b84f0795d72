import { err, ok, type Result } from '@svc/protocol/base/result'

export interface ByteRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/**
 * RFC 9110 section 14: one range of bytes; null for the whole. Several ranges, and invalid ones, are ignored as the RFC
 * allows; a range beyond the end cannot be satisfied.
 */
export function readRange(header: string | undefined, bytes: number): Result<ByteRange | null, 'unsatisfiable'> {
  const [, first = '', last = ''] = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/i.exec(header ?? '') ?? []
  if (first === '' && last === '') return ok(null)
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? err('unsatisfiable') : ok({ start: bytes - length, end: bytes })
  }
  const start = Number(first)
  if (start >= bytes) return err('unsatisfiable')
  const end = last === '' ? bytes : Math.min(Number(last) + 1, bytes)
  return end <= start ? ok(null) : ok({ start, end })
}

/** RFC 9110 section 13.1.5: if the caller's part is of other content, it gets the whole. */
export function rangeOf(headers: Headers, etag: string): string | undefined {
  const condition = headers.get('if-range')
  return condition === null || condition === etag ? (headers.get('range') ?? undefined) : undefined
}

/** RFC 9110 section 13.1.2: whether `*`, or a list of weakly compared tags, matches the content. */
export function namesTag(header: string | null, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (header ?? '').split(',').some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}
