import { type DeclaredAnswer, namesTag } from '@svc/service'
import { etagOf } from './read-answer.ts'

export interface Cacheable {
  readonly body: string
  readonly maxAgeSeconds: number
  readonly status?: 200 | 404
  /** Derived from the body by default; null if there is nothing to compare with. */
  readonly etag?: string | null
  readonly ageSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
}

/** A cacheable answer, or 304 if the caller has it. */
export function cachedAnswer(request: Headers, answer: Cacheable): Response {
  const { body, maxAgeSeconds, status = 200, ageSeconds = 0, contentType = 'application/json' } = answer
  const etag = answer.etag === undefined ? etagOf(body) : answer.etag
  const headers = {
    'content-type': contentType,
    'cache-control': `public, max-age=${maxAgeSeconds}`,
    ...(etag === null ? {} : { etag }),
    ...(ageSeconds > 0 ? { age: String(ageSeconds) } : {}),
    ...answer.headers,
  }
  if (etag !== null && namesTag(request.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { status, headers })
}

export const NOT_MODIFIED: DeclaredAnswer = {
  status: 304,
  description: 'The caller’s copy is current',
  contentType: 'application/json',
}
