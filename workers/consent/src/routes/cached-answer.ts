import { type DeclaredAnswer, namesTag } from '@svc/service'
import { etagOf } from '../consent/read-answer.ts'

export interface Cacheable {
  readonly body: string
  readonly maxAgeSeconds: number
  readonly status?: 200 | 404
  /** Told from the body unless given; null where there is nothing to compare with. */
  readonly etag?: string | null
  readonly ageSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly contentType?: string
}

/** An answer that may be kept, or 304 for who has it. */
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
  description: 'What the caller has is current',
  contentType: 'application/json',
}
