import { env } from 'cloudflare:workers'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { beforeAll, describe, expect, it } from 'vitest'
import { counterAdvances } from '../../src/passkeys/rules.ts'
import { PasskeyStore } from '../../src/passkeys/store.ts'
import { SessionStore } from '../../src/sessions/store.ts'

const store = new PasskeyStore(env.DB)
const sessions = new SessionStore(env.DB)
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

const use = (credentialId: string, counter: number, now: number) => {
  const session = { accountId: 'account', method: 'passkey', expiresAt: 9_000_000_000_000 } as const
  const opening = sessions.opening(crypto.randomUUID(), session, now, { afterChange: true })
  return store.use({ credentialId, counter, isBackedUp: false, isBackupEligible: false }, opening, now)
}
const countSessions = async () =>
  (await env.DB.prepare("SELECT count(*) AS count FROM sessions WHERE account_id = 'account'").first<number>(
    'count',
  )) ?? 0

beforeAll(async () => {
  await env.DB.prepare("INSERT INTO accounts (account_id, created_at) VALUES ('account', 1)").run()
})

// `counterAdvances` refuses before the write; the condition in SQL decides between requests that read the same counter.
describe('the counter of a passkey', () => {
  it.each(COUNTERS)('advances from %d in SQL as it does by the rule', async (stored) => {
    for (const presented of COUNTERS) {
      const used = await use(await passkeyAt(stored), presented, 2)
      expect(used, `to ${presented}`).toBe(counterAdvances(stored, presented))
    }
  })

  it('is used once by requests that read it at the same time', async () => {
    const id = await passkeyAt(5)
    await env.DB.prepare("DELETE FROM sessions WHERE account_id = 'account'").run()
    const used = await Promise.all(Array.from({ length: 20 }, (_, i) => use(id, 9, i)))
    expect(used.filter(Boolean)).toHaveLength(1)
    expect(await countSessions()).toBe(1)
    expect(await store.find(id)).toMatchObject({ counter: 9 })
  })

  it('opens no session of an account that is gone', async () => {
    const id = await passkeyAt(5)
    await env.DB.prepare("DELETE FROM accounts WHERE account_id = 'account'").run()
    await expect(use(id, 9, 2)).rejects.toThrow(DependencyFault)
  })
})
