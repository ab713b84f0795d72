import { err, ok, type Result } from '@svc/protocol/base/result'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { PROVENANCE_SHAPE } from '../answer/shapes.ts'
import type { Windows } from '../app/description.ts'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy, toyRuntime } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const read = (body: unknown): Result<{ word: string }, ApiError> =>
  body === 'word' ? ok({ word: 'word' }) : err(new ApiError('hash_mismatch'))
const find = defineOperation({
  id: 'find',
  method: 'post',
  path: '/find',
  summary: 'Find',
  auth: 'none',
  callerTiers: { counter: 'find', anonymous: 2, authenticated: 4, protects: 'work' },
  malformed: 'invalid-json',
  body: z.string(),
  parse: read,
  answer: { status: 200, description: 'Found', schema: z.object({ word: z.string() }) },
  errors: ['hash_mismatch'],
})

/** Lets two requests of each counter through. */
function twoOfEach() {
  const counts = new Map<string, number>()
  return {
    async limit({ key }: { key: string }) {
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return { success: !key.includes(':caller:find:') || (counts.get(key) ?? 0) <= 2 }
    },
  }
}

function finding(windows?: Windows) {
  const handler = route<unknown>()(find, ({ body: { word } }) => ({ word }))
  const { service, send } = toy([handler], { shape: PROVENANCE_SHAPE }, () => ({ ...toyRuntime(twoOfEach()), windows }))
  const prober = new Prober({ service, send, base: TOY_BASE })
  return {
    service,
    post: (body: string, address: string) => prober.send({ method: 'POST', path: '/find', body, address }),
  }
}

describe('an operation with tiers of callers', () => {
  it('counts an address that shows nothing before its body is looked at, and says so on every answer', async () => {
    const { post } = finding()
    const told = ({ headers }: Awaited<ReturnType<typeof post>>) =>
      ['limit', 'tier', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))
    const [first, second, third] = [await post('{', 'a'), await post('"word"', 'a'), await post('"word"', 'a')]
    expect([first.status, second.status, third.status]).toEqual([400, 200, 429])
    for (const answer of [first, second]) expect(told(answer)).toEqual(['2', 'anonymous', null])
    expect(told(third)).toEqual(['2', 'anonymous', '0'])
    expect(third.body).toMatchObject({ error: 'Rate limit exceeded', tier: 'anonymous' })
    expect((await post('"word"', 'b')).status).toBe(200)
  })

  it('stands in the description, with its headers and what it may answer', () => {
    const described = documentOf(finding().service).paths?.['/find']?.post
    expect(described).toMatchObject({ 'x-rate-limit': { callerTiers: { anonymous: 2, authenticated: 4 } } })
    const { responses = {} } = described ?? {}
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '429', '503']))
    for (const [status, response] of Object.entries(responses)) {
      expect(Object.keys(response.headers)).toEqual(expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Tier']))
      expect('X-RateLimit-Remaining' in response.headers).toBe(status === '429')
    }
  })
})

describe('an operation that reads its body itself', () => {
  it('answers with its own refusals, and names JSON that is none', async () => {
    const { post } = finding()
    expect(await post('"other"', 'c')).toMatchObject({ status: 400, error: 'hash_mismatch' })
    expect(await post('nonsense', 'c')).toMatchObject({ status: 400, error: 'invalid-json' })
    expect((await post('"word"', 'd')).body).toMatchObject({ data: { word: 'word' } })
  })
})
