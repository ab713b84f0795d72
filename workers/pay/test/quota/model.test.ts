/** A thousand operations in a random order against a model of a few lines: meters and answers agree at every step. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'

const LIMIT = 20
const KEYS = 40

interface ModelUse {
  amount: number
  state: 'used' | 'reversed' | 'held' | 'finalized' | 'released'
  expiresAt: number
}

afterEach(() => vi.useRealTimers())

/** Park and Miller's generator: the same thousand operations in every run. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

it('keeps the meters as a model does', async () => {
  const next = random(2_026)
  const did = `did:svc:${'M'.repeat(32)}`
  const object = env.QUOTA_METERS.getByName(did)
  const uses = { public: new Map<string, ModelUse>(), internal: new Map<string, ModelUse>() }
  let now = Date.UTC(2026, 10, 5)
  vi.setSystemTime(now)
  const all = () => [...uses.public.values(), ...uses.internal.values()]
  const counted = (...states: ModelUse['state'][]) =>
    all().reduce((sum, use) => (states.includes(use.state) ? sum + use.amount : sum), 0)
  const expire = () => {
    for (const use of uses.internal.values()) if (use.state === 'held' && use.expiresAt <= now) use.state = 'released'
  }
  const hasRoom = (amount: number) => counted('used', 'finalized', 'held') + amount <= LIMIT

  const operations = [
    async (key: string) => {
      const amount = 1 + next(4)
      const known = uses.public.get(key)
      const outcome = await object.consume(did, { kind: 'text', amount, key })
      if (known) expect(outcome.ok).toBe(known.amount === amount && known.state === 'used')
      else {
        expect(outcome.ok).toBe(hasRoom(amount))
        if (outcome.ok) uses.public.set(key, { amount, state: 'used', expiresAt: 0 })
      }
    },
    async (key: string) => {
      const known = uses.public.get(key)
      const outcome = await object.reverse(did, { operation: 'refund', key })
      expect(outcome.ok).toBe(known !== undefined)
      if (known) known.state = 'reversed'
    },
    async (key: string) => {
      const amount = 1 + next(4)
      const known = uses.internal.get(key)
      const isKept = known?.state === 'held' || known?.state === 'finalized'
      const outcome = await object.reserve(did, { kind: 'text', amount, key }, 60_000)
      expect(outcome.ok).toBe(isKept ? known.amount === amount : hasRoom(amount))
      if (!isKept && outcome.ok) uses.internal.set(key, { amount, state: 'held', expiresAt: now + 60_000 })
    },
    async (key: string) => {
      const known = uses.internal.get(key)
      const outcome = await object.settle(key, 'finalized')
      expect(outcome.ok).toBe(known?.state === 'held' || known?.state === 'finalized')
      if (known?.state === 'held') known.state = 'finalized'
    },
    async (key: string) => {
      const known = uses.internal.get(key)
      const outcome = await object.settle(key, 'released')
      expect(outcome.ok).toBe(known !== undefined && known.state !== 'finalized')
      if (known?.state === 'held') known.state = 'released'
    },
    async () => {
      now += next(40_000)
      vi.setSystemTime(now)
      expire()
    },
    async () => {
      await runDurableObjectAlarm(object)
    },
  ]

  for (let step = 0; step < 1_000; step++) {
    await operations[next(operations.length)]?.(`key-${next(KEYS)}`)
    const meters = await object.meters(did)
    const { used, reserved } = meters.find(({ kind }) => kind === 'text') ?? {}
    expect({ step, used, reserved }).toEqual({ step, used: counted('used', 'finalized'), reserved: counted('held') })
  }
}, 60_000)
