/**
 * Which audience a route takes (document 1 section 5). Matching is exact; there is no wildcard and no fallback.
 *
 * @module
 */
interface Rule {
  readonly service: string
  readonly method?: string
  readonly prefix: string
  readonly audiences: readonly [string, ...string[]]
}

/** The first rule that matches decides. Provenance and pay share an audience and therefore a nonce guard. */
const RULES: readonly Rule[] = [
  { service: 'core', prefix: '/api/notes/', audiences: ['notes'] },
  { service: 'core', prefix: '/api/genesis/', audiences: ['genesis'] },
  { service: 'core', prefix: '/api/inception/', audiences: ['genesis'] },
  { service: 'core', prefix: '/api/pair/', audiences: ['core'] },
  { service: 'core', prefix: '/', audiences: ['chain'] },
  { service: 'did', method: 'POST', prefix: '/1.0/register', audiences: ['identity'] },
  { service: 'did', prefix: '/', audiences: ['identity', 'console'] },
  { service: 'keys', prefix: '/', audiences: ['keys'] },
  { service: 'provenance', prefix: '/', audiences: ['provenance'] },
  { service: 'pay', prefix: '/', audiences: ['provenance'] },
]

/** The audiences that a route accepts; none where the service takes no assertions. */
export function audiencesOf(service: string, method: string, path: string): readonly string[] {
  const rule = RULES.find(
    (candidate) =>
      candidate.service === service &&
      (candidate.method === undefined || candidate.method === method) &&
      path.startsWith(candidate.prefix),
  )
  return rule?.audiences ?? []
}
