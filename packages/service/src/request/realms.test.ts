import { realmSchema } from '@svc/protocol/base/realm'
import { signedSchema, statementSchema } from '@svc/protocol/base/statement'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy } from '../app/service.fixture.ts'
import { Prober } from '../testing/prober.ts'
import { carriesStatements, requireRealm } from './realms.ts'

const REALM = 'https://core.test'
const ELSEWHERE = 'https://core.other.test'
const gc = statementSchema('svc/note-gc/v1', {})
const rebuild = statementSchema('svc/note-rebuild/v1', {}).refine(() => true)

describe('a body', () => {
  it.each<[string, z.ZodType]>([
    ['is one', gc],
    ['has one', signedSchema(gc)],
    ['may have one', z.strictObject({ request: signedSchema(gc).optional() })],
    ['has one or null', z.strictObject({ request: signedSchema(gc).nullable() })],
    ['has several', z.strictObject({ events: z.array(z.union([signedSchema(gc), signedSchema(rebuild)])) })],
    [
      'has one by default',
      z.strictObject({ request: gc.default({ type: 'svc/note-gc/v1', realm: REALM, issuedAt: 0 }) }),
    ],
    ['is changed after it', signedSchema(gc).transform(({ statement }) => statement)],
  ])('that %s is searched for statements', (_, schema) => {
    expect(carriesStatements(schema)).toBe(true)
  })

  it.each<[string, z.ZodType]>([
    ['numbers', z.strictObject({ chunks: z.array(z.array(z.int())) })],
    ['a word of the same name', z.strictObject({ realm: z.string(), type: z.string() })],
    ['anything', z.unknown()],
  ])('of %s is not', (_, schema) => {
    expect(carriesStatements(schema)).toBe(false)
  })

  it('of a schema that contains itself is searched once', () => {
    interface Tree {
      readonly left?: Tree | undefined
    }
    const tree: z.ZodType<Tree> = z.strictObject({
      get left() {
        return tree.optional()
      },
    })
    expect(carriesStatements(tree)).toBe(false)
    expect(carriesStatements(z.strictObject({ tree, realm: realmSchema }))).toBe(true)
  })
})

describe('requireRealm', () => {
  const stated = (realm: unknown, type: unknown = 'svc/note-gc/v1') => ({ statement: { type, realm, issuedAt: 0 } })

  it.each([
    ['a statement for this deployment', stated(REALM)],
    ['a statement for the realm that it is leaving', stated('https://core.old.test')],
    ['no statement', { statement: { realm: ELSEWHERE } }],
    ['an object of another vocabulary', stated(ELSEWHERE, 'public-key')],
    ['nothing', null],
    ['text', 'svc/note-gc/v1'],
  ])('accepts %s', (_, body) => {
    expect(() => requireRealm(body, [REALM, 'https://core.old.test'])).not.toThrow()
  })

  it('names the member, what the statement is for and what the deployment accepts', () => {
    const body = { events: [stated(REALM), { acceptance: stated(ELSEWHERE) }] }
    expect(() => requireRealm(body, [REALM, 'https://core.old.test'])).toThrow(
      'body.events.1.acceptance.statement.realm: this statement is for the realm https://core.other.test; ' +
        'this deployment accepts https://core.test, https://core.old.test',
    )
  })

  it('reflects at most 255 characters', () => {
    expect(() => requireRealm(stated('x'.repeat(1_000)), [REALM])).toThrow(
      `body.statement.realm: this statement is for the realm ${'x'.repeat(255)}; this deployment accepts ${REALM}`,
    )
  })
})

describe('a route that takes a statement', () => {
  const takeStatement = defineOperation({
    id: 'takeStatement',
    method: 'post',
    path: '/statements',
    summary: 'Takes a statement',
    auth: 'none',
    body: signedSchema(gc),
    answer: { status: 200, description: 'Its realm', schema: z.object({ realm: z.string() }), bare: true },
  })
  const { service, send } = toy([route<unknown>()(takeStatement, ({ body }) => ({ realm: body.statement.realm }))])
  const prober = new Prober({ service, send, base: TOY_BASE })
  const post = (statement: object) =>
    prober.send({
      method: 'POST',
      path: '/statements',
      body: JSON.stringify({ statement, signatureB64u: 'A'.repeat(4412) }),
    })
  const statement = { type: 'svc/note-gc/v1', realm: REALM, issuedAt: 0 }

  it('accepts one for this deployment', async () => {
    expect(await post(statement)).toMatchObject({ status: 200, body: { realm: REALM } })
  })

  it('refuses one for another, with the way out', async () => {
    const refused = await post({ ...statement, realm: ELSEWHERE })
    expect(refused).toMatchObject({ status: 400, error: 'wrong_realm' })
    expect(refused.body).toMatchObject({
      message: `body.statement.realm: this statement is for the realm ${ELSEWHERE}; this deployment accepts ${REALM}`,
    })
  })

  it('names a malformed realm by the schema', async () => {
    expect(await post({ ...statement, realm: `${REALM}/` })).toMatchObject({ status: 400, error: 'invalid_request' })
  })
})
