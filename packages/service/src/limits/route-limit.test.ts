import { Limiter } from '@svc/rate-limit'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { CORE_SHAPE } from '../answer/shapes.ts'
import { defineOperation, route } from '../app/operation.ts'
import { TOY_BASE, toy, toyRoute, toyRuntime } from '../app/service.fixture.ts'
import { Prober } from '../testing/prober.ts'

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
  const routes = [route<unknown>()(ask, () => ({ answer: 'yes' })), toyRoute('/free', () => new Response('x'))]
  const { service, send } = toy(routes, { shape: CORE_SHAPE }, () => ({ ...toyRuntime(), limiter }))
  const prober = new Prober({ service, send, base: TOY_BASE })
  const address = '192.0.2.1'
  return {
    counted,
    post: (body: string) => prober.send({ method: 'POST', path: '/ask', body, address }),
    get: (path: string) => prober.send({ method: 'GET', path, address }),
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
