import { defineFaults } from '../fault.ts'

/** The request pipeline, which every route of every Worker runs through. */
export const REQUEST_FAULTS = defineFaults([
  {
    id: 'origin-foreign',
    about: 'Requests from a foreign Origin are accepted',
    edits: [
      {
        find: "return origin === undefined ? rule === 'required' : !allowed.includes(origin)",
        replace: "return origin === undefined && rule === 'required'",
      },
    ],
    projects: ['service', 'pay'],
    tests: ['src/request/origins.test'],
  },
  {
    id: 'origin-absent',
    about: 'Requests without an Origin are accepted where one is required',
    edits: [
      {
        find: "return origin === undefined ? rule === 'required' : !allowed.includes(origin)",
        replace: 'return origin !== undefined && !allowed.includes(origin)',
      },
    ],
    projects: ['service', 'did'],
    tests: ['src/request/origins.test'],
  },
  {
    id: 'realm-unnamed',
    about: 'A statement for another deployment is refused without saying why',
    edits: [{ find: 'if (isStated) requireRealm(input.body, c.var.runtime.config.REALMS)', replace: '' }],
    projects: ['service'],
    tests: ['src/request/realms.test'],
  },
  {
    id: 'cors-reflected',
    about: 'Any Origin gets the CORS headers that let its scripts read the response',
    edits: [
      {
        find: "if (origin === undefined || !allowed.includes(origin)) return { vary: 'Origin' }",
        replace: "if (origin === undefined) return { vary: 'Origin' }",
      },
    ],
    projects: ['service', 'pay'],
    tests: ['src/request/origins.test'],
  },
  {
    id: 'head-of-single-use',
    about: 'HEAD consumes what a GET returns only once',
    edits: [
      {
        find: "if (operation.refusesHead && c.req.method === 'HEAD') {",
        replace: "if (operation.refusesHead && c.req.method === 'TRACE') {",
      },
    ],
    projects: ['core*'],
    tests: ['test/rendezvous/states.test'],
  },
  {
    id: 'owner-param',
    about: 'A caller can act under the DID of another identity',
    edits: [
      {
        find: 'if (operation.owner !== undefined && caller && c.req.param(operation.owner) !== caller.did) {',
        replace: 'if (operation.owner !== undefined && caller && c.req.param(operation.owner) === undefined) {',
      },
    ],
    projects: ['core*', 'keys'],
    tests: ['test/notes/credentials.test'],
  },
  {
    id: 'params-unchecked',
    about: 'Path parameters skip schema validation',
    edits: [{ find: 'acceptPath(operation, operation.params, c.req.param())', replace: 'c.req.param()' }],
    projects: ['service', 'consent', 'docs'],
    tests: ['src/request/screen.test'],
  },
  {
    id: 'query-unchecked',
    about: 'Query parameters skip schema validation',
    edits: [{ find: "accept('query', operation.query, c.req.query())", replace: 'c.req.query()' }],
    projects: ['service', 'consent', 'did'],
    tests: ['src/request/stream-body.test'],
  },
  {
    id: 'body-unchecked',
    about: 'Bodies skip schema validation',
    edits: [{ find: "if (!parse) return accept('body', schema, json)", replace: 'if (!parse) return json' }],
    projects: ['service', 'pay'],
    tests: ['src/request/screen.test'],
  },
  {
    id: 'body-cap',
    about: 'Bodies without a declared length are not capped',
    edits: [{ find: 'if (length > maxBytes) return null', replace: '' }],
    projects: ['service', 'pay'],
    tests: ['src/request/body.test'],
  },
  {
    id: 'body-turns',
    about: 'A large body is read without turns for other requests',
    edits: [{ find: 'await scheduler.wait(0)', replace: '' }],
    projects: ['service'],
    tests: ['src/request/body.test'],
  },
  {
    id: 'body-type',
    about: 'JSON routes accept any media type',
    edits: [
      {
        find: "if (!isJson(type)) throw new ApiError('unsupported_media_type')",
        replace: '',
      },
    ],
    projects: ['service', 'pay'],
    tests: ['src/request/screen.test'],
  },
  {
    id: 'stream-length',
    about: 'Streamed bodies can exceed their cap',
    edits: [{ find: "if (length > maxBytes) throw new ApiError('payload_too_large')", replace: '' }],
    projects: ['service', 'core*'],
    tests: ['src/request/stream-body.test'],
  },
  {
    id: 'screen-skipped',
    about: 'Bodies are not screened for plaintext',
    edits: [
      {
        find: 'const refusal = screen?.(json)',
        replace: 'const refusal = null as ReturnType<NonNullable<typeof screen>>',
      },
    ],
    projects: ['service', 'core*'],
    tests: ['src/request/screen.test'],
  },
  {
    id: 'idempotency-key-form',
    about: 'A missing or malformed Idempotency-Key is accepted',
    edits: [
      {
        find: "return accept('header', IDEMPOTENCY_HEADERS[need], presented)['Idempotency-Key'] ?? null",
        replace: "return presented['Idempotency-Key'] ?? (need === 'required' ? '' : null)",
      },
    ],
    projects: ['keys', 'pay'],
    tests: ['test/prekeys/prekeys.test'],
  },
  {
    id: 'bad-body-unspent',
    about: 'An assertion survives a request whose body was refused',
    edits: [
      {
        find: 'if (unspent) await spend(c, description, operation, unspent.take())',
        replace: '',
      },
    ],
    projects: ['core*'],
    tests: ['test/assertions.test'],
  },
  {
    id: 'envelope',
    about: 'Responses lack the envelope of the service',
    edits: [
      {
        find: 'const enveloped = (data: unknown) => (bare ? data : description.shape.success(data, facts))',
        replace: 'const enveloped = (data: unknown) => data',
      },
    ],
    projects: ['service', 'provenance'],
    tests: ['src/limits/caller-tiers.test'],
  },
  {
    id: 'success-cached',
    about: 'Responses are cacheable by default',
    edits: [
      {
        find: "declared(result, c.req.query()) : declared) ?? 'no-store'",
        replace: "declared(result, c.req.query()) : declared) ?? 'public, max-age=60'",
      },
    ],
    projects: ['service', 'pay'],
    tests: ['test/discovery.test'],
  },
  {
    id: 'refusal-cached',
    about: 'Error responses are cacheable',
    edits: [{ find: "'cache-control': 'no-store', [ERROR_HEADER]", replace: '[ERROR_HEADER]' }],
    projects: ['service', 'pay'],
    tests: ['src/app/service.test'],
  },
  {
    id: 'error-leaks',
    about: 'The message of an unexpected error reaches the caller',
    edits: [
      {
        find: "new ApiError('internal_error', { reason: faultOf(error) })",
        replace: "new ApiError('internal_error', { reason: faultOf(error), message: String(error) })",
      },
    ],
    projects: ['service'],
    tests: ['src/app/service.test'],
  },
  {
    id: 'security-header',
    about: 'Responses lack X-Content-Type-Options',
    edits: [
      {
        find: "'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY',",
        replace: "'x-frame-options': 'DENY',",
      },
    ],
    projects: ['service', 'pay'],
    tests: ['src/app/service.test'],
  },
  {
    id: 'retired-path',
    about: 'Retired paths answer 404 instead of 410',
    edits: [
      { find: 'const gone = retired(c.var.path)', replace: 'const gone = undefined as ReturnType<typeof retired>' },
    ],
    projects: ['service', 'keys'],
    tests: ['test/retired.test'],
  },
  {
    id: 'path-decoded',
    about: 'Routes match the decoded path, bypassing rules that match the raw one',
    edits: [
      { find: 'return new URL(request.url).pathname', replace: 'return decodeURI(new URL(request.url).pathname)' },
    ],
    projects: ['service', 'pay'],
    tests: ['test/security.test'],
  },
])
