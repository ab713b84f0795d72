/** Lies about logs with signed checkpoints, and about the bindings of an organization, by a service that signs them. */

import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashTextHex, toHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import { EMPTY_ORG_HEAD, orgEventHash as hashOf, type OrgEvent } from '@svc/protocol/did/org-bindings'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { firstLogList, openedLog, signLogList } from '@svc/protocol/merkle/log-list-signing'
import { consistencyProof, leafHash, merkleRoot } from '@svc/protocol/merkle/tree'
import { describe, expect, it } from 'vitest'
import { Client } from '../src/client.ts'
import { Identity } from '../src/identity/identity.ts'
import { ForkError, type HistoryError, RollbackError, UnprovedError } from '../src/memory/errors.ts'
import type { MemoryValue } from '../src/memory/memory-value.ts'
import { fetchOf } from './fetch.ts'

const NOW = 1_790_000_000_000
const LOG = { anchors: 'https://core.test/anchors/2026a', transparency: 'https://keys.test/transparency/2026a' }
const seed = (byte: number) => new Uint8Array(32).fill(byte)
const leavesOf = (texts: string) => texts.split('').map((text) => leafHash(new TextEncoder().encode(text)))
type Series = keyof typeof LOG

/** A log whose leaves are letters, as the service would sign it. */
async function checkpointOf(series: Series, leaves: string, { key = 1, issuedAt = NOW } = {}) {
  const type = series === 'anchors' ? 'svc/anchor-checkpoint/v1' : 'svc/transparency-checkpoint/v1'
  const root = toHex(merkleRoot(leavesOf(leaves)))
  const statement = { type, realm: 'https://core.test', log: LOG[series], size: leaves.length, root, issuedAt } as const
  const signed = await signStatement(statement, (message) => mlDsa65.sign(seed(key), message))
  return { ...signed, publicKeyB64u: await publicKeyOf(key) }
}

const LIST_KEY = 9
const publicKeyOf = async (key: number) => encodeBase64url(await mlDsa65.publicKeyOf(seed(key)))

const LIST_KEYS = { threshold: 1, publicKeysB64u: [await publicKeyOf(LIST_KEY)] }

/** A list that vouches for the log with this key. */
async function listOf(series: Series, key: number, listSigner: number) {
  const signer = {
    publicKey: await mlDsa65.publicKeyOf(seed(listSigner)),
    sign: (message: Uint8Array) => mlDsa65.sign(seed(listSigner), message),
  }
  const log = { log: LOG[series], series, publicKeyB64u: await publicKeyOf(key) } as const
  const list = firstLogList({
    realm: 'https://core.test',
    namespace: 'https://keys.test',
    labelKeyB64u: labels.publicKeyB64u,
    keys: { threshold: 1, publicKeysB64u: [await publicKeyOf(listSigner)] },
    logs: [openedLog(log, NOW)],
    issuedAt: NOW,
    validUntil: NOW + 86_400_000,
  })
  return signLogList(list, [signer])
}

/** A service that shows a log, at a time. */
function logService(
  series: Series,
  leaves: string,
  {
    listedKey,
    listSigner = LIST_KEY,
    ...options
  }: { key?: number; issuedAt?: number; listedKey?: number; listSigner?: number } = {},
) {
  return async ({ url }: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(url)
    if (pathname.endsWith('/logs')) {
      const data = { list: await listOf(series, listedKey ?? options.key ?? 1, listSigner), earlier: [] }
      return Response.json({ success: true, data, timestamp: NOW })
    }
    const checkpoint = await checkpointOf(series, leaves, options)
    const answer = (data: object) =>
      Response.json(series === 'anchors' ? data : { success: true, data, timestamp: NOW })
    if (pathname.endsWith('/checkpoint'))
      return answer(series === 'anchors' ? checkpoint : { checkpoint, cosignatures: [] })
    const [first = 0, second = 0] =
      series === 'anchors'
        ? ['first', 'second'].map((name) => Number(searchParams.get(name)))
        : (pathname.split('/').at(-1)?.split('-').map(Number) ?? [])
    const proof = consistencyProof(leavesOf(leaves).slice(0, second), first).map(toHex)
    return answer({ log: LOG[series], first, second, proof, checkpoint })
  }
}

const clientOf = (fetch: (request: Request) => Promise<Response>, now: number, memory?: MemoryValue) =>
  new Client({
    core: 'https://core.test',
    did: 'https://did.test',
    keys: 'https://keys.test',
    fetch: fetchOf(fetch),
    now: () => now,
    logListKeys: LIST_KEYS,
    ...(memory ? { memory } : {}),
  })
const ask = (client: Client, series: Series) =>
  series === 'anchors' ? client.anchors.checkpoint() : client.transparency.checkpoint()

async function refusedWith(error: abstract new (...parts: never[]) => HistoryError, promise: Promise<unknown>) {
  const thrown: unknown = await promise.catch((reason: unknown) => reason)
  expect(thrown).toBeInstanceOf(error)
  const { remembered, received } = thrown as HistoryError
  expect(remembered.signed).not.toBeNull()
  expect(remembered).not.toEqual(received)
}

describe.each(['anchors', 'transparency'] as const)('the log of %s', (series) => {
  const later = NOW + 3_600_000
  const known = async (leaves: string) => {
    const client = clientOf(logService(series, leaves), NOW)
    await ask(client, series)
    return client.memory.export()
  }

  it.each([
    ['is shorter', 'abc', {}, RollbackError],
    ['is empty', '', {}, RollbackError],
    ['has another leaf', 'abcdX', {}, ForkError],
    ['has another leaf and more', 'abXdefgh', {}, ForkError],
    ['has another leaf only in the proof', 'Xbcdefgh', {}, ForkError],
    ['is the same under another key', 'abcde', { key: 2 }, ForkError],
    ['is longer under another key', 'abcdefgh', { key: 2 }, ForkError],
  ])('that %s is refused', async (_, leaves, options, error) => {
    const told = logService(series, leaves, { ...options, issuedAt: later })
    const memory = await known('abcde')
    const client = clientOf(told, later, memory)
    await refusedWith(error, ask(client, series))
    expect(await client.memory.export()).toEqual(memory)
  })

  it('that is longer is accepted after one proof', async () => {
    let asked = 0
    const told = logService(series, 'abcdefgh')
    const fetch = (request: Request) => {
      asked += 1
      return told(request)
    }
    const client = clientOf(fetch, later, await known('abcde'))
    await ask(client, series)
    await ask(client, series)
    // A checkpoint, its proof, a checkpoint, and the list of logs, once.
    expect(asked).toBe(4)
  })

  it('may be a cached one for a minute, if the newest extends it', async () => {
    const memory = await known('abcde')
    await ask(clientOf(logService(series, 'abcde'), NOW + 59_000, memory), series)
    const old = logService(series, 'abc')
    const whole = logService(series, 'abcde')
    const cached = (request: Request) => (request.url.endsWith('/checkpoint') ? old(request) : whole(request))
    await ask(clientOf(cached, NOW + 59_000, memory), series)
    await refusedWith(RollbackError, ask(clientOf(cached, NOW + 60_000, memory), series))
    const other = logService(series, 'abX')
    const forked = (request: Request) => (request.url.endsWith('/checkpoint') ? other(request) : whole(request))
    await refusedWith(ForkError, ask(clientOf(forked, NOW + 59_000, memory), series))
  })

  it('shown differently to two clients is found when they exchange what they know', async () => {
    const [one, other, longer] = [await known('abcde'), await known('abcdX'), await known('abXde123')]
    const client = clientOf(logService(series, 'abcde'), later, one)
    await expect(client.memory.merge(other)).rejects.toThrow(ForkError)
    const second = clientOf(logService(series, 'abXde1234'), later, one)
    await second.memory.merge(longer)
    await refusedWith(ForkError, ask(second, series))
  })
})

describe.each(['anchors', 'transparency'] as const)('a checkpoint of %s under a key that is not listed', (series) => {
  it.each([NOW, NOW + 3_600_000])('is refused, and not remembered', async (now) => {
    const client = clientOf(logService(series, 'abcde', { key: 2, listedKey: 1 }), now)
    const nothing = await client.memory.export()
    await expect(ask(client, series)).rejects.toMatchObject({
      name: 'VerificationError',
      subject: series,
      reason: 'wrong_log',
    })
    expect(await client.memory.export()).toEqual(nothing)
  })

  it('is refused whatever list is shown', async () => {
    const told = logService(series, 'abcde', { key: 2, listSigner: 8 })
    await expect(ask(clientOf(told, NOW), series)).rejects.toMatchObject({
      name: 'VerificationError',
      subject: 'logs',
      reason: 'threshold_not_met',
    })
  })
})

describe('the bindings of an organization', async () => {
  const org = await Identity.create()
  const members = await Promise.all([Identity.create(), Identity.create(), Identity.create()])
  const { epoch, userId, publicKeyB64u } = org
  const keys = [{ epoch, userId, publicKeyB64u, activatedAt: NOW, request: null, genesis: null }]

  /** A DID service that shows these events, and takes more. */
  function service(events: OrgEvent[], sent: OrgEvent[] = []) {
    const headOf = (shown: readonly OrgEvent[]) => {
      const last = shown.at(-1)
      return last ? { sequence: last.statement.sequence, hash: hashOf(last) } : EMPTY_ORG_HEAD
    }
    return async (request: Request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url)
      const { did, scope } = org
      if (pathname.endsWith('/history'))
        return Response.json({ success: true, data: { did, scope, keys, next: null, rotation: null }, timestamp: NOW })
      if (request.method === 'POST') {
        const event = await request.json<OrgEvent>()
        sent.push(event)
        events.push(event)
        return Response.json({ orgDid: did, ...headOf(events), acceptedAt: NOW })
      }
      const head = headOf(events)
      if (!pathname.endsWith('/events')) return Response.json({ orgDid: did, members: [], cursor: null, head })
      const shown = events.slice(Number(searchParams.get('from') ?? 1) - 1)
      return Response.json({ orgDid: did, events: shown, acceptedAt: shown.map(() => NOW), next: null, head })
    }
  }
  const terms = (i: number) => ({
    memberDid: members[i]!.did,
    provider: 'login.example.com',
    subjectHash: hashTextHex(`subject ${i}`),
    role: 'member' as const,
  })
  const clientAt = (events: OrgEvent[], memory?: MemoryValue, sent: OrgEvent[] = []) =>
    new Client({
      core: 'https://core.test',
      did: 'https://did.test',
      identity: org,
      fetch: fetchOf(service(events, sent)),
      now: () => NOW,
      ...(memory ? { memory } : {}),
    })

  /** The log after these acts on a log. */
  async function acted(before: readonly OrgEvent[], ...acts: ((client: Client) => Promise<unknown>)[]) {
    const events = [...before]
    for (const act of acts) await act(clientAt(events))
    return events
  }
  const bind = (i: number) => (client: Client) => client.members.bind(terms(i))
  const revoke = (client: Client) => client.members.revoke(members[0].did)
  const bound = await acted([], bind(0), bind(1))
  const truth = await acted(bound, revoke)
  const fork = await acted(bound, bind(2))
  const longFork = await acted(fork, revoke, bind(0))
  const knowing = clientAt([...truth])
  await knowing.members.verify()
  const memory = await knowing.memory.export()
  const foreign = { ...truth[0]!, statement: { ...truth[0]!.statement, sequence: 4, previousHash: hashOf(truth[2]!) } }

  const read = (client: Client) => client.members.verify()
  const list = (client: Client) => client.members.list()
  it.each<[string, OrgEvent[], (client: Client) => Promise<unknown>, abstract new (...parts: never[]) => HistoryError]>(
    [
      ['an older log', bound, read, RollbackError],
      ['an older list', bound, list, RollbackError],
      ['an older log, to sign on', bound, bind(2), RollbackError],
      ['an empty log', [], read, RollbackError],
      ['an empty log, to sign on', [], bind(2), RollbackError],
      ['another log', fork, read, ForkError],
      ['another list', fork, list, ForkError],
      ['another log, to sign on', fork, bind(2), ForkError],
      ['a longer log without the revocation', longFork, read, ForkError],
      ['a longer log without the revocation, to sign on', longFork, bind(2), ForkError],
      ['an event that nobody signed, to sign on', [...truth, foreign], bind(2), UnprovedError],
    ],
  )('refuse %s', async (_, events, act, error) => {
    const sent: OrgEvent[] = []
    const client = clientAt([...events], memory, sent)
    await refusedWith(error, act(client))
    expect(sent).toEqual([])
  })

  it('accept what another honest client signed', async () => {
    const client = clientAt(await acted(truth, bind(2)), memory)
    await client.members.suspend(members[1].did)
    expect((await client.members.verify()).head.sequence).toBe(5)
  })
})
