import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CORE_SHAPE } from '../answer/shapes.ts'
import type { Windows } from '../app/description.ts'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy, toyRuntime } from '../app/service.fixture.ts'
import { documentOf } from '../openapi/document.ts'
import { Prober } from '../testing/prober.ts'

const window = { counter: 'ask', limit: 5, seconds: 600, protects: 'work' } as const
const ask = defineOperation({
  id: 'ask',
  method: 'post',
  path: '/ask',
  summary: 'Ask',
  auth: 'none',
  window,
  body: z.strictObject({ question: z.string() }),
  answer: { status: 200, description: 'Answered', schema: z.object({ answer: z.string() }) },
})

function asking(windows: Windows | undefined) {
  const { service, send } = toy([route<unknown>()(ask, () => ({ answer: 'yes' }))], { shape: CORE_SHAPE }, () => ({
    ...toyRuntime(),
    windows,
  }))
  const prober = new Prober({ service, send, base: TOY_BASE })
  const post = (body: string, address?: string) => prober.send({ method: 'POST', path: '/ask', body, address })
  return { service, post }
}

describe('an operation with a window', () => {
  it('is counted by address, if its body is well-formed', async () => {
    const counted: unknown[] = []
    const { post } = asking({
      take: async (...operands) => {
        counted.push(operands)
        return 0
      },
    })
    expect((await post('{', '203.0.113.7')).status).toBe(400)
    expect((await post('{"question":"?"}', '2001:db8:1:2::3')).status).toBe(200)
    expect(counted).toEqual([[window, '2001:db8:1:2::/64']])
  })

  it('counts malformed requests in memory, so that garbage creates no object', async () => {
    let taken = 0
    const { post } = asking({
      take: async () => {
        taken += 1
        return 0
      },
    })
    for (let i = 0; i < 5; i++) expect((await post('{', '203.0.113.8')).status).toBe(400)
    const refused = await post('{"question":"?"}', '203.0.113.8')
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(taken).toBe(0)
    expect((await post('{"question":"?"}', '203.0.113.9')).status).toBe(200)
    expect(taken).toBe(1)
  })

  it('says how long to wait, in the structured error', async () => {
    const { post } = asking({ take: async () => 417 })
    const refused = await post('{"question":"?"}')
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfter: 417 } })
    expect(refused.headers.get('retry-after')).toBe('417')
  })

  it('lets nobody through while it cannot be counted', async () => {
    const { post } = asking({ take: () => Promise.reject(new Error('unreachable')) })
    expect(await post('{"question":"?"}')).toMatchObject({ status: 503, error: 'dependency_unavailable' })
    expect((await asking(undefined).post('{"question":"?"}')).status).toBe(500)
  })

  it('shows its window in the description', () => {
    const { service } = asking({ take: async () => 0 })
    expect(documentOf(service).paths?.['/ask']?.post).toMatchObject({ 'x-rate-limit': { routeWindow: window } })
  })
})

describe('an operation with a window for its caller', () => {
  it('shows it in the description, and declares what it may answer', () => {
    const callerWindow = { counter: 'tell', limit: 2, seconds: 60, protects: 'work', tier: 'told' } as const
    const tell = defineOperation({ ...ask, id: 'tell', window: { ...window }, callerWindow })
    const { service } = toy([route<unknown>()(tell, () => ({ answer: 'yes' }))], { shape: CORE_SHAPE })
    const described = documentOf(service).paths?.['/ask']?.post
    expect(described).toMatchObject({ 'x-rate-limit': { callerWindow } })
    expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(['429', '503']))
  })
})
