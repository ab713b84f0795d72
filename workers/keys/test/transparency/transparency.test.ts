import { Transparency } from '@svc/client/audit'
import { mlDsa65 } from '@svc/client/functions'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { userIdOf } from '@svc/protocol/base/identity'
import { signStatement } from '@svc/protocol/base/statement'
import { updateEntryOf } from '@svc/protocol/keys/account-updates'
import {
  type AuditAnswer,
  type CheckpointAnswer,
  type InclusionAnswer,
  verifyUpdate,
} from '@svc/protocol/keys/transparency'
import { ALLOWED_ORIGIN, expectRefusal } from '@svc/service/testing'
import { REALM, REALMS } from '@svc/testing'
import { describe, expect, it, vi } from 'vitest'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { BASE, call, caller, dataOf, send } from '../harness.ts'
import {
  LIST_KEYS,
  LOG,
  LOG_KEY,
  labelOf,
  leavesOf,
  logged,
  logList,
  proofOf,
  submit,
  transport,
  WITNESS_SEED,
} from './log.fixture.ts'

const get = (path: string) => call(null, 'GET', `/api/transparency/${path}`)
const anyone = async () => (await caller({ genesis: false })).client.transparency

describe('the log', () => {
  it('begins with the leaf that opens it', async () => {
    const { checkpoint, cosignatures } = dataOf<CheckpointAnswer>(await get('checkpoint'))
    const { entries, log: name } = dataOf<{ entries: string[]; log: string }>(await get('entries/0'))
    expect(entries[0]).toBe(`{"kind":"open","log":"${LOG}","map":null,"previous":null}`)
    expect(name).toBe(LOG)
    expect(checkpoint.statement).toMatchObject({ log: LOG, size: entries.length })
    expect([checkpoint.publicKeyB64u, cosignatures]).toEqual([LOG_KEY, []])
  })

  it('has each credential and each revocation, and never a prekey', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner, { count: 5 })
    const transparency = await anyone()
    await logged(owner)
    const proved = await transparency.prove(published.package)
    const before = proved.checkpoint
    const revoked = await owner.client.keyDirectory.revoke(published.device.deviceId, 1)
    await expect(transparency.prove(revoked)).rejects.toMatchObject({ error: 'not_found' })
    await logged(owner)
    const after = (await transparency.prove(revoked)).checkpoint
    expect(after.statement.size).toBeGreaterThan(before.statement.size)
    expect((await transparency.safeVerifyExtension(before, after)).ok).toBe(true)
    expect((await transparency.safeVerifyExtension(after, before)).ok).toBe(false)
    const { entries } = dataOf<{ entries: string[] }>(await get('entries/0'))
    const label = labelOf(owner.identity.did)
    const [first, second] = [published.package.leafId, revoked.leafId].map((leafId) => leafId.split('-')[1])
    expect(entries.filter((line) => updateEntryOf(line)?.label === label)).toEqual([
      `{"kind":"update","label":"${label}","seq":1,"statementHash":"${first}"}`,
      `{"kind":"update","label":"${label}","seq":2,"statementHash":"${second}"}`,
    ])
    // The log names neither the account nor the device.
    expect(entries.join()).not.toContain(owner.identity.did)
    expect(entries.join()).not.toContain(published.device.deviceId)
  })

  it('answers for its own name, and for no other log', async () => {
    const named = (name: string) => `log=${encodeURIComponent(name)}`
    for (const path of ['checkpoint?', 'entries/0?', `proof/did:svc:${'A'.repeat(32)}?`, 'audit/2?']) {
      expect((await get(path + named(LOG))).status, path).toBe(200)
      expectRefusal(await get(path + named(`${LOG}x`)), 'not_found')
    }
  })

  it('is cached for five seconds and then not shown stale', async () => {
    for (const path of ['checkpoint', 'audit/1-1', `proof/${leavesOf(0, 1)[0]!.leafId}`]) {
      const { status, headers } = await get(path)
      const expected = status === 200 ? 'public, max-age=5, must-revalidate' : 'no-store'
      expect(headers.get('cache-control')).toBe(expected)
    }
  })

  it('gives a proof for five seconds as it was made, and then anew', async () => {
    const published = await publishedDevice(await caller(), { count: 1 })
    await logged(published.owner)
    const prove = async () =>
      dataOf<InclusionAnswer>(await get(`proof/${published.package.leafId}`)).checkpoint.statement
    const first = await prove()
    await submit(leavesOf(5_000, 1))
    const now = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: first.issuedAt + 4_999 })
    expect(await prove()).toEqual(first)
    vi.setSystemTime(Math.max(now, first.issuedAt + 5_000))
    expect((await prove()).size).toBeGreaterThan(first.size)
    vi.useRealTimers()
  })

  it('has nothing by an id that is none, or of sizes that it never had', async () => {
    expectRefusal(await get(`audit/did:svc:${'A'.repeat(32)}?since=-1`), 'invalid_request')
    for (const path of [
      'proof/x',
      `proof/${'0'.repeat(96)}`,
      'proof/did:svc:short',
      'audit/did:svc:short',
      'audit/0',
      'audit/-1',
      'audit/1-',
      'audit/a',
      'audit/1-0',
      'entries/-1',
      'entries/01',
      `proof/${'0'.repeat(64)}-${'0'.repeat(96)}`,
      'audit/2-1',
      'audit/1000000',
      'audit/1-1000000',
      'entries/1000000',
    ]) {
      expectRefusal(await get(path), 'not_found')
    }
  })
})

describe('a log of many leaves', () => {
  it('proves every kind of leaf and prefix across its tiles', async () => {
    await submit(leavesOf(0, 700))
    const earlier = await (await anyone()).checkpoint()
    const first = earlier.statement.size
    await submit(leavesOf(700, 5))
    await submit(leavesOf(700, 5))
    const transparency = await anyone()
    const later = await transparency.checkpoint()
    expect(later.statement.size).toBe(first + 5)
    const list = await logList()
    for (const i of [0, 255, 256, 511, 600, 699, 704]) {
      const leaf = leavesOf(i, 1)[0]!
      const { update } = leaf
      const answer = await proofOf(leaf)
      expect(answer.checkpoint.statement.root).toBe(later.statement.root)
      expect(await verifyUpdate(update, answer, list, REALMS)).toEqual({ ok: true, value: undefined })
    }
    for (const size of [1, 256, 257, 512, 700, first]) {
      const answer = dataOf<AuditAnswer>(await get(`audit/${size}`))
      expect([answer.first, answer.second]).toEqual([size, first + 5])
      expect(dataOf<AuditAnswer>(await get(`audit/${size}-${first}`)).second).toBe(first)
    }
    expect((await transparency.safeVerifyExtension(earlier, later)).ok).toBe(true)
    const forked = { ...earlier, statement: { ...earlier.statement, root: 'a7'.repeat(48) } }
    expect((await transparency.safeVerifyExtension(forked, later)).ok).toBe(false)
  }, 30_000)
})

describe('a log that lies to the SDK', () => {
  /** The real log, whose answers are changed on their way. */
  const lying = <T>(change: (data: T) => unknown) =>
    new Transparency(
      transport(async (request) => {
        const response = await send(request)
        // The label of the account is proved first, truly.
        if (!/\/(?:checkpoint|proof\/[0-9a-f]{64}-)/.test(request.url)) return response
        const body = await response.json<{ data: T }>()
        change(body.data)
        return Response.json(body, { status: response.status })
      }),
      BASE,
      { listKeys: LIST_KEYS },
    )

  it.each([
    ['root', { root: 'a7'.repeat(48) }, 'invalid_signature'],
    ['size', { size: 7 }, 'invalid_signature'],
    ['log', { log: 'https://other.test' }, 'unlisted_log'],
  ])('is not believed with another %s', async (_, members, reason) => {
    const transparency = lying<CheckpointAnswer>(({ checkpoint }) => Object.assign(checkpoint.statement, members))
    await expect(transparency.checkpoint()).rejects.toMatchObject({
      name: 'VerificationError',
      subject: 'transparency',
      reason,
    })
  })

  it('is not believed under another key than the listed one', async () => {
    const publicKeyB64u = encodeBase64url(await mlDsa65.publicKeyOf(WITNESS_SEED))
    const transparency = lying<CheckpointAnswer>(({ checkpoint }) => Object.assign(checkpoint, { publicKeyB64u }))
    await expect(transparency.checkpoint()).rejects.toMatchObject({ reason: 'wrong_log' })
  })

  it('is not believed with a list by other keys than the pinned ones', async () => {
    const listKeys = { threshold: 1, publicKeysB64u: [encodeBase64url(await mlDsa65.publicKeyOf(WITNESS_SEED))] }
    const pinned = new Transparency(transport(), BASE, { listKeys })
    expect((await pinned.logs()).pinned).toBe('given')
    await expect(pinned.checkpoint()).rejects.toMatchObject({ reason: 'threshold_not_met' })
    const unpinned = new Transparency(transport(), BASE)
    expect((await unpinned.logs()).pinned).toBeNull()
    await expect(unpinned.checkpoint()).rejects.toMatchObject({ reason: 'no_key' })
    await new Transparency(transport(), BASE, { listKeys: LIST_KEYS }).checkpoint()
  })

  it('is not believed with a proof of another leaf', async () => {
    const published = await publishedDevice(await caller(), { count: 1 })
    await logged(published.owner)
    const changes: ((data: InclusionAnswer) => unknown)[] = [
      (data) => Object.assign(data, { proof: data.proof.toReversed() }),
      ({ proof }) => proof.pop(),
      ({ position }) => Object.assign(position, { index: position.index - 1 }),
      (data) => Object.assign(data, { seq: 7 }),
    ]
    for (const change of changes) {
      await expect(lying(change).prove(published.package)).rejects.toThrow('is invalid')
    }
    const other = { ...published.package, credential: { ...published.package.credential } }
    other.credential.statement = { ...other.credential.statement, deviceId: 'A'.repeat(32) }
    await expect((await anyone()).prove(other)).rejects.toThrow('is invalid')
  })
})

describe('witnesses', () => {
  const cosigned = async (seed: Uint8Array, members: object = {}) => {
    const publicKey = await mlDsa65.publicKeyOf(seed)
    const { size, root } = dataOf<CheckpointAnswer>(await get('checkpoint')).checkpoint.statement
    const type = 'svc/transparency-cosignature/v1'
    const statement = {
      type,
      realm: REALM,
      log: LOG,
      size,
      root,
      witness: userIdOf(publicKey),
      verifies: 'log',
      issuedAt: Date.now(),
      ...members,
    } as const
    const signed = await signStatement(statement, (message) => mlDsa65.sign(seed, message))
    return { ...signed, publicKeyB64u: encodeBase64url(publicKey) }
  }
  const post = (body: unknown) => call(null, 'POST', '/api/transparency/cosignatures', { body })

  it('that the deployment knows are shown with the checkpoint', async () => {
    const body = await cosigned(WITNESS_SEED)
    dataOf(await post(body))
    const { cosignatures } = await (await anyone()).cosigned()
    expect(cosignatures).toEqual([body])
    expectRefusal(await post(await cosigned(new Uint8Array(32).fill(0x13))), 'unknown_signer')
  })

  it('never go back: an older cosignature leaves the newer one in place', async () => {
    const older = await cosigned(WITNESS_SEED)
    await submit(leavesOf(6_000, 1))
    const newer = await cosigned(WITNESS_SEED)
    expect(newer.statement.size).toBeGreaterThan(older.statement.size)
    for (const body of [older, newer, older]) dataOf(await post(body))
    expect((await (await anyone()).cosigned()).cosignatures).toEqual([newer])
  })

  it('are refused for a state that the log never had', async () => {
    expectRefusal(await post(await cosigned(WITNESS_SEED, { root: 'a7'.repeat(48) })), 'log_fork')
    expectRefusal(await post(await cosigned(WITNESS_SEED, { size: 3, root: 'a7'.repeat(48) })), 'log_fork')
    expectRefusal(await post(await cosigned(WITNESS_SEED, { size: 1_000_000 })), 'not_found')
    expectRefusal(await post(await cosigned(WITNESS_SEED, { log: 'https://other.test' })), 'not_found')
    const body = await cosigned(WITNESS_SEED)
    expectRefusal(await post({ ...body, statement: { ...body.statement, issuedAt: 1 } }), 'invalid_signature')
    expectRefusal(await post(await cosigned(WITNESS_SEED, { witness: '0'.repeat(96) })), 'invalid_signature')
  })

  it('need an allowlisted Origin like every mutation here', async () => {
    const request = new Request(`${BASE}/api/transparency/cosignatures`, { method: 'POST', body: '{}' })
    expect((await send(request)).status).toBe(403)
    expect(ALLOWED_ORIGIN).toBe('http://localhost:3000')
  })
})
