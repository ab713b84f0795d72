import { Limiter } from '@svc/rate-limit'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CORE_SHAPE } from '../answer/shapes.ts'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { Prober } from '../testing/prober.ts'

const shared = { counter: 'parlour', limit: 20, protects: 'work', under: '/parlour/' } as const
const enter = defineOperation({
  id: 'enter',
  method: 'post',
  path: '/parlour/door',
  summary: 'Enter',
  auth: 'none',
  limit: shared,
  answer: { status: 200, description: 'Entered', schema: z.null() },
})
const ask = defineOperation({
  id: 'ask',
  method: 'post',
  path: '/ask',
  summary: 'Ask',
  auth: 'none',
  limit: { counter: 'ask', limit: 20, protects: 'work' },
  body: z.strictObject({ question: z.string() }),
  answer: { status: 200, description: 'Answered', schema: z.object({ answer: z.string() }) },
})

/** Notes what is counted, and refuses at the bindings of these sizes. */
function counting(...exhausted: number[]) {
  const counted: string[] = []
  const limiter = new Limiter('toy', (limit) => ({
    limit: async ({ key }) => {
      counted.push(`${limit} ${key}`)
      return { success: !exhausted.includes(limit) }
    },
  }))
  const routes = [
    route<unknown>()(ask, () => ({ answer: 'yes' })),
    route<unknown>()(enter, () => null),
    toyRoute('/free', () => new Response('x')),
  ]
  const { service, send } = toy(routes, { shape: CORE_SHAPE }, () => ({ ...toyRuntime(), limiter }))
  const prober = new Prober({ service, send, base: TOY_BASE })
  const address = '192.0.2.1'
  return {
    counted,
    post: (body: string) => prober.send({ method: 'POST', path: '/ask', body, address }),
    get: (path: string) => prober.send({ method: 'GET', path, address }),
    send: (method: string, path: string) => prober.send({ method, path, address }),
  }
}

describe('an operation with a limit', () => {
  it('counts against its tier and then its own limit, before the body is looked at', async () => {
    const { counted, post } = counting()
    expect((await post('{')).status).toBe(400)
    expect(counted).toEqual(['200 toy:tier:default:192.0.2.1', '20 toy:route:ask:192.0.2.1'])
  })

  it('is refused once its own limit is reached, without naming a tier', async () => {
    const { post } = counting(20)
    const refused = await post('{"question":"?"}')
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfter: 60 } })
    expect(refused.body).not.toHaveProperty('tier')
    expect(refused.headers.get('retry-after')).toBe('60')
  })

  it('leaves other operations alone', async () => {
    const { counted, get } = counting(20)
    expect((await get('/free')).status).toBe(200)
    expect(counted).toEqual(['5000 toy:tier:consent-read:192.0.2.1'])
  })
})

it('an unknown path counts against its tier', async () => {
  const { counted, get } = counting()
  expect((await get('/nothing')).status).toBe(404)
  expect(counted).toEqual(['5000 toy:tier:consent-read:192.0.2.1'])
})

describe('a limit of everything under a path', () => {
  const own = '20 toy:route:parlour:192.0.2.1'

  it.each([
    ['POST', '/parlour/door', 200],
    ['PUT', '/parlour/door', 405],
    ['OPTIONS', '/parlour/door', 200],
    ['GET', '/parlour/', 404],
    ['DELETE', '/parlour/no/such/path', 404],
  ])('counts %s %s', async (method, path, status) => {
    const { counted, send } = counting()
    expect((await send(method, path)).status).toBe(status)
    expect(counted.filter((key) => key === own)).toHaveLength(1)
    expect((await counting(20).send(method, path)).status).toBe(429)
  })

  it.each(['/parlour', '/parlours/door', '/PARLOUR/door', '/parlou%72/door'])('does not count %s', async (path) => {
    const { counted, send } = counting()
    await send('POST', path)
    expect(counted).not.toContain(own)
  })
})
