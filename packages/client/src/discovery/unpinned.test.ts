import type { ServiceKeyName } from '@svc/protocol/http/service-keys'
import { describe, expect, it } from 'vitest'
import { Client } from '../client.ts'
import type { ClientOptions } from '../client-options.ts'
import { Identity } from '../identity/identity.ts'
import { listAnswer, listKeys, listWith } from './lists.fixture.ts'
import { CORE, keyOf, NOW, signers } from './service-keys.fixture.ts'

const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const at = (service: string) => `https://${service}.test`
const services = { did: at('did'), pay: at('pay'), keys: at('keys'), consent: at('consent') }

/** A deployment that shows keys of its own wherever it is asked, and what it was asked for. */
function deployment(lists: Parameters<typeof listAnswer>[0] = [], receipt: object = {}) {
  const asked: string[] = []
  const fetch = async (address: string, { method = 'GET' }: RequestInit = {}) => {
    const { pathname } = new URL(address)
    asked.push(`${method} ${pathname}`)
    if (pathname.endsWith('/logs')) return listAnswer(lists, address)
    return Response.json({ success: true, data: receipt, timestamp: NOW })
  }
  const clientOf = (options: Partial<ClientOptions> = {}) =>
    new Client({ core: CORE, ...services, identity: alice, fetch, now: () => NOW, retries: false, ...options })
  return { asked, clientOf }
}

/** What needs a key that only a list, or its caller, can name. */
const NEEDS_A_KEY: readonly (readonly [string, (client: Client) => Promise<unknown>, keyof ClientOptions])[] = [
  ['a receipt for a use', ({ quota }) => quota.consume('search', { key: 'k' }), 'quotaReceiptKeyB64u'],
  ['a receipt for an erased note', ({ notes }) => notes.delete('A'.repeat(22)), 'receiptKeyB64u'],
  ['the feed of events', ({ events }) => events.read(), 'receiptKeyB64u'],
  ['a reserved prekey', ({ keyDirectory }) => keyDirectory.reserve(alice.did, 'A'.repeat(32)), 'reservationKeyB64u'],
  ['a snapshot of consent', ({ consent }) => consent.snapshot({ buckets: [1] }), 'consentKeyB64u'],
  ['the log of anchors', ({ anchors }) => anchors.logs().then((logs) => logs.newest()), 'logListKeys'],
  ['the log of the directory', ({ transparency }) => transparency.logs().then((logs) => logs.newest()), 'logListKeys'],
]

describe('a client with addresses and without a pin', () => {
  it.each(NEEDS_A_KEY)('says that it cannot verify %s, and asks for nothing', async (_, read, option) => {
    const { asked, clientOf } = deployment()
    const refused = await read(clientOf()).catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'VerificationError', subject: 'logs', reason: 'no_key' })
    expect((refused as Error).message).toContain('`Client.connect`')
    expect((refused as Error).message).toContain(`\`${option}\``)
    expect(asked).toEqual([])
  })
})

describe('a client with addresses and the keys of the list', () => {
  const facts = {
    type: 'svc/quota-receipt/v1',
    operation: 'consume',
    did: alice.did,
    key: 'k',
    kind: 'search',
  } as const
  const use = { ...facts, amount: 1, used: 1, limit: 100, tier: 'notes', period: '2026-09', issuedAt: NOW } as const
  const consumed = async (
    names: readonly ('a' | 'b')[],
    name: ServiceKeyName,
    options: Partial<ClientOptions> = {},
  ) => {
    const keys = await Promise.all(names.map((one, i) => keyOf(one, i, null, name)))
    const { asked, clientOf } = deployment([await listWith(keys)], (await signers.a.sign(use)) ?? {})
    const used = clientOf({ logListKeys: listKeys, ...options }).quota.consume('search', { key: 'k' })
    return {
      asked,
      used: await used.then(
        () => true,
        (error: unknown) => (error as { reason?: string }).reason,
      ),
    }
  }
  const quota = { service: 'pay', use: 'quota-receipt' } as const

  it('takes the keys of services from the list, which it reads once', async () => {
    expect(await consumed(['a', 'b'], quota)).toEqual({ used: true, asked: ['GET /api/logs', 'POST /quota/consume'] })
  })

  it('takes none that the list does not have for that service', async () => {
    expect((await consumed(['b'], quota)).used).toBe('wrong_key')
    expect((await consumed(['a'], { service: 'core', use: 'receipt' })).used).toBe('wrong_key')
  })

  it('takes no list that other keys signed', async () => {
    const logListKeys = { threshold: 1, publicKeysB64u: [alice.publicKeyB64u] }
    const { used, asked } = await consumed(['a'], quota, { logListKeys })
    expect(used).toBe('threshold_not_met')
    expect(asked.filter((one) => one.startsWith('POST'))).toEqual([])
  })

  it('takes the key that its caller names instead', async () => {
    const named = { quotaReceiptKeyB64u: (await signers.a.publicKey(0)) ?? '' }
    expect(await consumed(['b'], quota, named)).toEqual({ used: true, asked: ['POST /quota/consume'] })
  })
})
