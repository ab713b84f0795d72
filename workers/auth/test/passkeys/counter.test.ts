import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { counterAdvances } from '../../src/passkeys/rules.ts'
import { PasskeyStore } from '../../src/passkeys/store.ts'

const store = new PasskeyStore(env.DB)
const COUNTERS = [0, 1, 5, 6, 4_294_967_295]

async function passkeyAt(counter: number): Promise<string> {
  const id = crypto.randomUUID()
  await env.DB.prepare(
    `INSERT INTO passkeys (credential_id, account_id, public_key, counter, transports, label, is_backed_up, created_at)
     VALUES (?, 'account', x'00', ?, '[]', 'x', 0, 1)`,
  )
    .bind(id, counter)
    .run()
  return id
}

// `counterAdvances` refuses before the write; the condition in SQL decides between requests that read the same counter.
describe('the counter of a passkey', () => {
  it.each(COUNTERS)('advances from %d in SQL as it does by the rule', async (stored) => {
    for (const presented of COUNTERS) {
      const used = await store.use(await passkeyAt(stored), presented, false, 2)
      expect(used, `to ${presented}`).toBe(counterAdvances(stored, presented))
    }
  })

  it('is used once by requests that read it at the same time', async () => {
    const id = await passkeyAt(5)
    expect(await store.use(id, 9, false, 2)).toBe(true)
    expect(await store.use(id, 9, false, 3)).toBe(false)
    expect(await store.find(id)).toMatchObject({ counter: 9 })
  })
})
