import { describe, expect, it } from 'vitest'
import { operationsOf } from './operations.ts'
import { decoded, filledOf, missingOf, prepare, withoutSecrets } from './request.ts'
import { codeOf, curlOf } from './shown-as.ts'

const DID = `did:svc:${'A'.repeat(32)}`
const document = {
  paths: {
    '/api/notes/{did}/{noteId}': {
      get: {
        operationId: 'readNote',
        tags: ['notes'],
        summary: 'Read a note',
        security: [{ ServiceAssertion: [] }],
        'x-audience': ['notes'],
        'x-device-capability': 'notes:read',
        parameters: [
          { name: 'did', in: 'path', required: true, schema: { $ref: '#/components/schemas/Did' } },
          { name: 'noteId', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', required: false, schema: { type: 'string', example: '50' } },
        ],
      },
    },
    '/api/search': {
      post: {
        operationId: 'search',
        tags: ['search'],
        security: [{ ServiceAssertion: [] }, {}],
        'x-audience': ['provenance'],
        'x-device-capability': 'root',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Query' } } } },
      },
      get: {
        operationId: 'watch',
        security: [
          { Session: [], Ticket: [] },
          { Session: [], ShownSignature: [] },
        ],
      },
    },
  },
  components: {
    securitySchemes: {
      ServiceAssertion: { type: 'http', scheme: 'bearer', bearerFormat: 'ServiceAssertion' },
      Session: { type: 'apiKey', in: 'header', name: 'X-Session', description: 'Of the sign-in.' },
      Ticket: { type: 'apiKey', in: 'query', name: 'ticket' },
      ShownSignature: { type: 'apiKey', in: 'header', name: 'X-Signature' },
    },
    schemas: {
      Did: { type: 'string', example: 'did:svc:example' },
      Query: {
        type: 'object',
        required: ['kind', 'limit', 'vectors', 'about'],
        properties: {
          kind: { enum: ['image', 'video'] },
          limit: { type: 'integer', minimum: 1 },
          vectors: { type: 'array', items: { anyOf: [{ type: 'string', example: 'abc' }, { type: 'null' }] } },
          about: { $ref: '#/components/schemas/Did' },
          optional: { type: 'string' },
        },
      },
    },
  },
}
const [read, watch, search] = operationsOf(document)
if (!read || !search || !watch) throw new Error('three operations')

describe('the operations of a document', () => {
  it('have the credential, the parameters and the example of a body', () => {
    expect(read).toMatchObject({
      id: 'readNote',
      method: 'GET',
      audience: 'notes',
      capability: 'notes:read',
      isOptional: false,
    })
    expect(read.parameters.map(({ name, example }) => [name, example])).toEqual([
      ['did', 'did:svc:example'],
      ['noteId', ''],
      ['limit', '50'],
    ])
    expect(search).toMatchObject({ isOptional: true, capability: null, contentType: 'application/json' })
    expect(search.bodyExample).toEqual({ kind: 'image', limit: 1, vectors: ['abc'], about: 'did:svc:example' })
  })

  it('are none for anything but a document', () => {
    for (const value of [null, [], 'text', { paths: 1 }]) expect(operationsOf(value)).toEqual([])
  })
})

describe('a credential other than an assertion', () => {
  const values = {}
  const credentials = { 'X-Session': 'secret', ticket: 'one use', 'X-Signature': 'c2ln' }
  const filled = { values, body: '', credentials }

  it('has the header or the parameter of its scheme, and is required unless another does', () => {
    expect(read.schemes).toEqual([])
    expect(watch.schemes).toMatchObject([
      {
        id: 'Session',
        in: 'header',
        name: 'X-Session',
        description: 'Of the sign-in.',
        isRequired: true,
        isSecret: true,
      },
      { id: 'Ticket', in: 'query', name: 'ticket', isRequired: false, isSecret: true },
      { id: 'ShownSignature', in: 'header', name: 'X-Signature', isRequired: false, isSecret: false },
    ])
    expect(missingOf(watch, { ...filled, credentials: {} })).toEqual(['X-Session'])
    expect(missingOf(watch, filled)).toEqual([])
  })

  it('is sent, and a secret is left out of what people copy', () => {
    expect(prepare(watch, 'https://p.example', filled)).toMatchObject({
      url: 'https://p.example/api/search?ticket=one+use',
      headers: { 'X-Session': 'secret', 'X-Signature': 'c2ln' },
    })
    const shown = prepare(watch, 'https://p.example', withoutSecrets(watch, filled))
    for (const text of [curlOf(shown, null), codeOf(shown, null, 'https://core.example')]) {
      for (const told of ['YOUR_SESSION', 'YOUR_TICKET', 'c2ln']) expect(text).toContain(told)
      for (const secret of ['secret', 'one']) expect(text).not.toContain(secret)
    }
  })

  it('of a WebSocket is what it offers', () => {
    const socket = {
      method: 'GET',
      url: 'https://p.example/ws',
      headers: { 'Sec-WebSocket-Protocol': 'a, b' },
      body: null,
    } as const
    expect(codeOf(socket, null, '')).toContain('new WebSocket("wss://p.example/ws", ["a","b"])')
    expect(curlOf(socket, null)).toContain("-H 'Sec-WebSocket-Protocol: a, b'")
  })
})

describe('a request', () => {
  it('is filled with the identity that asks, and names what is missing', () => {
    const filled = filledOf(read, DID)
    expect(filled.values).toEqual({ did: DID, noteId: '', limit: '' })
    expect(missingOf(read, filled)).toEqual(['noteId'])
  })

  it('has its values in the path and the query, escaped', () => {
    const values = { did: DID, noteId: 'a/b', limit: '2' }
    const prepared = prepare(read, 'https://core.example', { values, body: '', credentials: {} })
    expect(prepared.url).toBe(`https://core.example/api/notes/${encodeURIComponent(DID)}/a%2Fb?limit=2`)
    expect(prepared.body).toBeNull()
  })

  it('is told as a command and as code', () => {
    const prepared = prepare(search, 'https://p.example', { values: {}, body: `{"q":"it's"}`, credentials: {} })
    expect(curlOf(prepared, 'provenance').split('\n')).toEqual([
      `url='https://p.example/api/search'`,
      String.raw`body='{"q":"it'\''s"}'`,
      `curl -s -H 'content-type: application/json' -H "$(scripts/assertion provenance POST "$url" "$body")" --data-binary "$body" "$url"`,
    ])
    expect(curlOf({ ...prepared, method: 'DELETE', body: null, headers: {} }, null)).toBe(
      `url='https://p.example/api/search'\ncurl -s -X DELETE "$url"`,
    )
    expect(codeOf(prepared, 'provenance', 'https://core.example')).toContain(`body: {"q":"it's"},`)
    expect(codeOf(prepared, null, 'https://core.example')).not.toContain('identity')
  })
})

it('an assertion is decoded as it was signed', () => {
  const payload = { aud: 'chain', nonce: '?>~' }
  const text = btoa(JSON.stringify(payload)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  expect(decoded(`ServiceAssertion ${text}.AAAA`)).toEqual(payload)
  expect(decoded('Bearer x')).toBeNull()
})
