import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { toy } from '../app/service.fixture.ts'
import { documentOf } from './document.ts'
import { markdownOf, operationsOf } from './markdown.ts'
import { fieldsOf } from './markdown-fields.ts'

const write = defineOperation({
  id: 'write',
  method: 'post',
  path: '/things/{id}',
  summary: 'Write a thing',
  description: 'In full.',
  auth: 'none',
  limit: { counter: 'write', limit: 7, protects: 'work' },
  body: z.strictObject({ a: z.number() }),
  maxBodyBytes: 99,
  answer: { status: 201, description: 'Written', schema: z.strictObject({ a: z.number() }) },
})
const retired = [{ path: '/old/', error: 'endpoint_retired' as const }]
const { service } = toy([route<unknown>()(write, () => ({ a: 1 }))], { markdownPaths: ['/docs.md'], retired })

describe('markdownOf', () => {
  const text = markdownOf(documentOf(service))

  it('begins with the title and version', () => {
    expect(text).toMatch(/^# Toy\n\nVersion 1\.2\.3\. A toy\.\n/)
  })

  it('has one section for each operation', () => {
    const sections = text.match(/^## .+$/gm)
    expect(sections).toEqual([
      '## POST /things/{id}',
      '## GET /.well-known/svc',
      '## GET /openapi.json',
      '## HEAD /openapi.json',
      '## GET /docs.md',
    ])
  })

  it('says once what every read may answer, and what is gone', () => {
    expect(text.match(/canonical host/g)).toHaveLength(1)
    expect(text).toContain('\n\nAny read, 301: Only if the host is an alias')
    expect(text).toContain('\n\nRetired, 410 for every method:\n\n- `/old/`: `endpoint_retired`\n')
    expect(text).not.toContain('| 301 |')
  })

  it('says what an operation needs, costs and answers', () => {
    const section = text.split('## ')[1]
    expect(section).toContain('Write a thing.\n\n- Credential: none')
    expect(section).toContain('- Limits: 200 requests in 60 seconds (tier `default`), 7 of them on this route')
    expect(section).toContain('- Body: at most 99 bytes\n\nIn full.')
    expect(section).toContain('**Request body**\n\n| Member | Value | Meaning |\n|---|---|---|\n| `a` | number |  |\n')
    expect(section).toContain('**201**: Written\n\n| Member | Value | Meaning |\n|---|---|---|\n')
    expect(section).toContain('| 413 | `payload_too_large` | The body exceeds the size limit of this route |')
  })

  it('shows what is added to an operation after its description', () => {
    const shown = operationsOf(documentOf(service), { after: ({ method, path }) => ['', `Try ${method} ${path}`] })
    expect(shown.join('\n')).toContain('In full.\n\nTry POST /things/{id}\n\n**Request body**')
  })

  it('shows credentials as it is told to', () => {
    const withScheme = { get: { security: [{ Key: [] }, {}], responses: {} } }
    const withBody = { get: { operationId: 'sign', security: [], responses: {} } }
    const paths = { '/key': withScheme, '/body': withBody, '/open': { get: { security: [], responses: {} } } }
    const shown = operationsOf(
      { info: { title: 'Toy', version: '1' }, paths },
      {
        credential: (scheme) => `[${scheme}](/keys)`,
        ownCredential: ({ operationId }) => (operationId === 'sign' ? 'a signature' : undefined),
      },
    )
    expect(shown.filter((line) => line.startsWith('- Credential'))).toEqual([
      '- Credential: [Key](/keys) (optional)',
      '- Credential: a signature',
      '- Credential: none',
    ])
  })

  it('shows one group alone, with links to what explains errors', () => {
    const group = operationsOf(documentOf(service), {
      tag: 'things',
      factHref: { Limits: '/developer/limits' },
      errorHref: (name) => `/developer/errors#${name}`,
    }).join('\n')
    expect(group.match(/^## .+$/gm)).toEqual(['## POST /things/{id}'])
    expect(group).toContain('- Credential: none\n- [Limits](/developer/limits): 200 requests in')
    expect(group).toContain('| 413 | [`payload_too_large`](/developer/errors#payload_too_large) |')
  })
})

const schemas = {
  Id: { type: 'string', pattern: '^[A-Za-z0-9_-]+$', minLength: 22, maxLength: 22, description: 'An id' },
  Old: {
    type: 'object',
    properties: { version: { const: 1 }, note: { type: 'string' } },
    required: ['version', 'note'],
  },
  New: { type: 'object', properties: { version: { const: 2 } }, required: ['version'] },
}
const shown = (schema: object) =>
  fieldsOf({ type: 'object', properties: { it: schema }, required: ['it'] }, schemas).map(
    ({ name, type, isRequired, about }) => [name, type, isRequired, about],
  )

describe('the members of a body', () => {
  it.each<[object, unknown[][]]>([
    [{ $ref: '#/components/schemas/Id' }, [['it', 'base64url, 22 characters', true, 'An id']]],
    [{ $ref: '#/components/schemas/Id', description: 'Own' }, [['it', 'base64url, 22 characters', true, 'Own']]],
    [{ type: ['string', 'null'], maxLength: 9 }, [['it', 'string, at most 9 characters or null', true, '']]],
    [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, [['it', 'integer, at least 0', true, '']]],
    [{ type: 'integer', minimum: 1, maximum: 5 }, [['it', 'integer, 1 to 5', true, '']]],
    [{ enum: ['a', null] }, [['it', '`"a"`, `null`', true, '']]],
    [
      { type: 'array', maxItems: 3, items: { type: 'object', properties: { n: { type: 'number' } } } },
      [
        ['it', 'list of object, at most 3', true, ''],
        ['it[].n', 'number', false, ''],
      ],
    ],
    [
      {
        type: 'object',
        additionalProperties: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      },
      [
        ['it', 'object', true, ''],
        ['it.*.n', 'number', true, ''],
      ],
    ],
    [
      { oneOf: [{ $ref: '#/components/schemas/Old' }, { $ref: '#/components/schemas/New' }] },
      [
        ['it', 'object', true, ''],
        ['it.version', '`1` or `2`', true, ''],
        ['it.note', 'string', false, ''],
      ],
    ],
    [
      { anyOf: [{ $ref: '#/components/schemas/New' }, { type: 'null' }] },
      [
        ['it', 'object or null', true, ''],
        ['it.version', '`2`', true, ''],
      ],
    ],
  ])('%j', (schema, fields) => {
    expect(shown(schema)).toEqual(fields)
  })

  it('ends in a schema that contains itself', () => {
    const tree = { Tree: { type: 'object', properties: { child: { $ref: '#/components/schemas/Tree' } } } }
    const fields = fieldsOf({ $ref: '#/components/schemas/Tree' }, tree)
    expect(fields.map(({ name }) => name).at(-1)).toBe('child.child.child.child.child')
  })
})
