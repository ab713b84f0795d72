import { Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, freshHash, sendWith } from './harness.ts'

/** A limiter of each size that notes what is counted, and refuses where it is told to. */
function counting(refusing: number | null = null) {
  const counted: string[] = []
  const bindings = [5, 10, 20, 30, 60, 100, 200, 500, 600, 1200, 5000].map((size) => [
    `LIMIT_${size}`,
    {
      limit: async ({ key }: { key: string }) => {
        counted.push(`${size} ${key.split(':').slice(1, 3).join(':')}`)
        return { success: size !== refusing }
      },
    },
  ])
  const prober = new Prober({ service, base: BASE, send: sendWith(Object.fromEntries(bindings) as object) })
  return { counted, send: (method: string, path: string) => prober.send({ method, path }) }
}

const HASH = freshHash()
const READS = [
  `/api/v1/consent/${HASH}`,
  `/api/v1/consent/${HASH}/history`,
  `/api/v1/partner/opt-out?hash=${HASH}`,
  '/.well-known/ai-consent',
  '/robots.txt',
  '/health',
  '/no/such/path',
]

describe('limits of consent', () => {
  it.each(READS)('%s counts 5,000 and nothing else, read by GET or HEAD', async (path) => {
    for (const method of ['GET', 'HEAD']) {
      const { counted, send } = counting()
      await send(method, path)
      expect(counted).toEqual(['5000 tier:consent-read'])
    }
    const { status, body } = await counting(5000).send('GET', path)
    expect({ status, body }).toMatchObject({ status: 429, body: { tier: 'consent-read', retryAfter: 60 } })
  })

  it('a snapshot has a limit of its own besides', async () => {
    const { counted, send } = counting()
    await send('GET', '/api/v1/consent/snapshot?bucket=0')
    expect(counted).toEqual(['5000 tier:consent-read', '1200 route:readConsentSnapshot'])
    expect((await counting(1_200).send('GET', '/api/v1/consent/snapshot?bucket=0')).error).toBe('rate_limited')
  })

  it.each([
    ['POST', '/api/v1/consent'],
    ['PUT', `/api/v1/consent/${HASH}`],
    ['DELETE', `/api/v1/consent/${HASH}`],
    ['POST', '/api/v1/consent/batch'],
  ])('%s %s counts 200, before its credential is looked at', async (method, path) => {
    const { counted, send } = counting()
    await send(method, path)
    expect(counted).toEqual(['200 tier:default'])
    expect(await counting(200).send(method, path)).toMatchObject({ status: 429, body: { tier: 'default' } })
  })
})
