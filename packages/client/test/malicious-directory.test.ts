/**
 * What a directory that holds the key of its log can try, and which party finds it: the owner of an account, a contact
 * who reserves a prekey, or a witness. The page on the key directory has the same table.
 */
import { statementHash } from '@svc/protocol/base/statement'
import { mapLine } from '@svc/protocol/keys/account-map'
import { type AccountHead, EMPTY_HEAD, foldHead, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage } from '@svc/protocol/keys/directory'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import type { SignedCosignature } from '@svc/protocol/keys/transparency'
import { openEntry } from '@svc/protocol/merkle/entries'
import {
  type FixtureLog,
  firstKey,
  fixtureLog,
  keysOf,
  listSigners,
  openedEntry,
  signedList,
} from '@svc/protocol/merkle/rolled-log.fixture'
import { describe, expect, it } from 'vitest'
import { Client } from '../src/client.ts'
import { type AuditState, LogAuditor } from '../src/keys/log-auditor.ts'
import type { Fetch } from '../src/transport/fetch.ts'
import { ServiceError } from '../src/transport/service-error.ts'
import { Transport } from '../src/transport/transport.ts'
import { VerificationError } from '../src/verification/verification-error.ts'
import { cosigned } from './lies/mapped-log.ts'
import { deviceOf, LABEL, published } from './lies/published.ts'
import { data, fetchIn, keyAnswers, NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'
import { alice, mallory } from './sides.ts'

const NAME = `${REALM}/transparency/2027a`
const BASE = '/api/transparency'
const LIST_KEYS = keysOf(listSigners)
const device = await deviceOf(3)
const first = await published(device)
const second = await published(device, { version: 2, seq: 2 })
const revocation = {
  type: 'svc/package-revocation/v1',
  realm: REALM,
  did: alice.did,
  scope: alice.scope,
  rootEpoch: 0,
  deviceId: device.deviceId,
  version: 1,
  issuedAt: NOW,
} as const
const hashOf = (found: DevicePackage) => statementHash(found.credential.statement)
const [ONE, TWO, REVOKED] = [hashOf(first), hashOf(second), statementHash(revocation)]

const shownWhole = (found: DevicePackage): AccountUpdate => ({
  seq: found.seq,
  leafId: found.leafId,
  package: found,
  revocation: null,
  statement: null,
})
const shownBare = (seq: number, statement: { readonly type: string }): AccountUpdate => ({
  seq,
  leafId: leafIdOf(LABEL, statementHash(statement)),
  package: null,
  revocation: null,
  statement,
})

/** What a directory shows one party. */
interface View {
  readonly log: FixtureLog
  /** Where the map is that it proves accounts from, and what that map has. */
  readonly map: { readonly index: number; readonly hashes: readonly string[] }
  readonly updates: readonly AccountUpdate[]
  readonly hashes: readonly string[]
  readonly resolved: DevicePackage
  readonly cosignatures?: readonly SignedCosignature[]
}

const updateOf = (statementHashOf: string, i: number) => ({ label: LABEL, seq: i + 1, statementHash: statementHashOf })
const mapOf = (hashes: readonly string[]) => {
  const map = new AccountMap()
  map.count(hashes.map(updateOf))
  return map
}

/** A log of updates of Alice and of maps: a map is given by the hashes that it has, and counts what is before it. */
function logOf(entries: readonly (string | readonly string[])[], at = NOW): FixtureLog {
  let [seq, epoch] = [0, 0]
  const lines = entries.map((entry, i) =>
    typeof entry === 'string'
      ? updateLine(updateOf(entry, seq++))
      : mapLine({ size: i + 1, root: mapOf(entry).root, epoch: ++epoch, at }),
  )
  return fixtureLog('transparency', NAME, firstKey, [openEntry(NAME, null), ...lines])
}

async function answersOf({ log, map, updates, hashes, resolved, cosignatures = [] }: View) {
  const checkpoint = await log.checkpoint()
  const list = await signedList({ logs: [openedEntry('transparency', log, null)] })
  const { deviceId } = device
  return {
    ...keyAnswers(alice, mallory),
    [`${BASE}/logs`]: data({ list, earlier: [] }),
    [`${BASE}/checkpoint`]: data({ checkpoint, cosignatures }),
    [`${BASE}/entries/0`]: data({ log: NAME, from: 0, entries: log.lines, size: log.lines.length }),
    [`${BASE}/proof/${alice.did}`]: data({
      label: LABEL,
      result: map.hashes.length > 0 ? 'present' : 'absent',
      ...foldHead(EMPTY_HEAD, map.hashes),
      ...mapOf(map.hashes).path(LABEL),
      map: {
        leaf: log.lines[map.index],
        position: { log: NAME, index: map.index },
        proof: log.inclusion(map.index),
      },
      checkpoint,
    }),
    [`${BASE}/audit/${alice.did}`]: (query: URLSearchParams) => {
      const since = Number(query.get('since'))
      const head = foldHead(EMPTY_HEAD, hashes)
      return data({ label: LABEL, since, statementHashes: hashes.slice(since), ...head, checkpoint })
    },
    ...Object.fromEntries(
      Array.from({ length: log.lines.length }, (_, i) => i + 1).map((size) => [
        `${BASE}/audit/${size}-${log.lines.length}`,
        data({
          log: NAME,
          first: size,
          second: log.lines.length,
          proof: log.consistency(size),
          checkpoint,
        }),
      ]),
    ),
    [`/api/key-directory/${alice.did}/devices`]: data({
      accountDid: alice.did,
      label: LABEL,
      ...foldHead(
        EMPTY_HEAD,
        updates.map(({ leafId }) => leafId.slice(65)),
      ),
      updates,
      cursor: null,
    }),
    [`/api/key-directory/${alice.did}/devices/${deviceId}`]: data(resolved),
  }
}

const transportTo = async (view: View) => {
  const answers = await answersOf(view)
  return fetchIn({ answers: () => answers, args: () => [] })
}
const clientOf = async (view: View, options: object = {}) =>
  new Client({
    core: REALM,
    did: 'https://did.test',
    keys: 'https://keys.test',
    logListKeys: LIST_KEYS,
    mapPatience: { attempts: 2, pauseMs: 1 },
    now: () => NOW,
    fetch: await transportTo(view),
    ...options,
  })

/** Why a party refuses what it is shown; null if it finds nothing. */
async function refusal(work: Promise<unknown>): Promise<string | null> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error instanceof VerificationError) return error.reason
  // Everything was proved, and there is no prekey here.
  if (error === null || (error instanceof ServiceError && error.error === 'not_found')) return null
  throw new Error('neither proved nor refused', { cause: error })
}

/** The owner signed `own`, and finds an update that is not of them. */
async function ownerFinds(view: View, own: readonly string[]): Promise<string | null> {
  const { transparency } = await clientOf(view)
  const known = foldHead(EMPTY_HEAD, own)
  let now: AccountHead = known
  const why = await refusal(transparency.follow(alice.did, known).then((head) => (now = head)))
  return why ?? (now.head === known.head ? null : 'not mine')
}

/** What an owner's watch raises when the directory turns from one view to another; the news before it, and the evidence. */
async function watchFinds(before: View, after: View) {
  let view = before
  const { transparency } = await clientOf(before, {
    fetch: async (...call: Parameters<Fetch>) => (await transportTo(view))(...call),
    sleep: async () => {
      view = after
    },
  })
  const news: AccountHead[] = []
  try {
    for await (const { head } of transparency.watch(alice.did)) news.push(head)
  } catch (error) {
    if (error instanceof VerificationError) return { news, reason: error.reason, evidence: error.evidence }
    throw error
  }
  throw new Error('a watch does not end')
}

async function contactFinds(view: View, options: object = {}): Promise<string | null> {
  const { keyDirectory } = await clientOf(view, { identity: mallory, ...options })
  return refusal(keyDirectory.reserve(alice.did, device.deviceId))
}

async function witnessFinds(view: View, from: AuditState | null = null): Promise<string | null> {
  const transport = new Transport({ realm: REALM, fetch: await transportTo(view), now: () => NOW })
  return refusal(new LogAuditor(transport, 'https://keys.test', LIST_KEYS).follow(from))
}

async function findings(views: { owner: View; contact: View; witness: View }, own: readonly string[]) {
  return {
    owner: await ownerFinds(views.owner, own),
    contact: await contactFinds(views.contact),
    witness: await witnessFinds(views.witness),
  }
}
const NOTHING = { owner: null, contact: null, witness: null }

describe('a directory', () => {
  const whole = logOf([ONE, [ONE]])
  const honest: View = {
    log: whole,
    map: { index: 2, hashes: [ONE] },
    updates: [shownWhole(first)],
    hashes: [ONE],
    resolved: first,
  }
  /** Alice has revoked her package. */
  const revokedLog = logOf([ONE, REVOKED, [ONE, REVOKED]])
  const revoked: View = {
    log: revokedLog,
    map: { index: 3, hashes: [ONE, REVOKED] },
    updates: [shownBare(1, first.credential.statement), shownBare(2, revocation)],
    hashes: [ONE, REVOKED],
    resolved: first,
  }
  const replaced = [shownBare(1, first.credential.statement), shownWhole(second)]
  const all = (view: View) => ({ owner: view, contact: view, witness: view })

  it('that is honest is believed by all', async () => {
    expect(await findings(all(honest), [ONE])).toEqual(NOTHING)
  })

  it('that leaves out a revocation is found by the contact', async () => {
    const hiding = { ...revoked, updates: [shownWhole(first)] }
    expect(await findings({ ...all(revoked), contact: hiding }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      contact: 'left_out',
    })
  })

  it('that shows one contact a second package is found by that contact', async () => {
    const showing = { ...honest, updates: replaced, resolved: second }
    expect(await findings({ ...all(honest), contact: showing }, [ONE])).toEqual({ ...NOTHING, contact: 'left_out' })
  })

  it('that logs the second package is found by the owner', async () => {
    const logged = { ...honest, log: logOf([ONE, TWO, [ONE, TWO]]), map: { index: 3, hashes: [ONE, TWO] } }
    const view = { ...logged, updates: replaced, hashes: [ONE, TWO], resolved: second }
    expect(await findings(all(view), [ONE])).toEqual({ ...NOTHING, owner: 'not mine' })
  })

  it('that hides from the owner what it has logged is found by the owner', async () => {
    const logged = { ...honest, log: logOf([ONE, TWO, [ONE, TWO]]), map: { index: 3, hashes: [ONE, TWO] } }
    const view = { ...logged, updates: replaced, hashes: [ONE, TWO], resolved: second }
    expect(await findings({ ...all(view), owner: logged }, [ONE])).toEqual({ ...NOTHING, owner: 'left_out' })
  })

  it('that reverts a head is found by the witness, and by the owner', async () => {
    const log = logOf([ONE, REVOKED, [ONE, REVOKED], [ONE]])
    const reverted = { ...honest, log, map: { index: 4, hashes: [ONE] } }
    const view = { ...reverted, hashes: [ONE, REVOKED] }
    expect(await findings(all(view), [ONE, REVOKED])).toEqual({
      owner: 'left_out',
      contact: null,
      witness: 'wrong_map',
    })
    // A contact who trusts the witness waits for it in vain.
    expect(await contactFinds(view, { witnesses: [mallory.publicKeyB64u] })).toBe('not_cosigned')
  })

  it('that shows a contact a false map and takes it back is found by the witness', async () => {
    const log = logOf([ONE, REVOKED, [ONE], [ONE, REVOKED]])
    const shown = { ...honest, log, map: { index: 3, hashes: [ONE] } }
    const taken = { ...revoked, log, map: { index: 4, hashes: [ONE, REVOKED] } }
    expect(await findings({ owner: taken, contact: shown, witness: taken }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      witness: 'wrong_map',
    })
  })

  it('that forks the log is found by a witness that has seen the other side', async () => {
    const views = { owner: revoked, contact: honest, witness: revoked }
    expect(await findings(views, [ONE, REVOKED])).toEqual(NOTHING)
    const transport = new Transport({ realm: REALM, fetch: await transportTo(revoked), now: () => NOW })
    const { state } = await new LogAuditor(transport, 'https://keys.test', LIST_KEYS).follow(null)
    const longer = { ...honest, log: logOf([ONE, [ONE], TWO, [ONE, TWO]]) }
    expect(await witnessFinds(longer, state)).toBe('fork')
    // What that witness has cosigned is not on the contact's side.
    const cosignature = await cosigned(state.checkpoint, REALM, { verifies: 'log+map' })
    const shown = { ...longer, map: { index: 2, hashes: [ONE] }, cosignatures: [cosignature as SignedCosignature] }
    expect(await contactFinds(shown, { witnesses: [mallory.publicKeyB64u] })).toBe('not_cosigned')
  })

  it('that keeps showing an old map is found by contact and owner', async () => {
    const log = logOf([ONE, [ONE], REVOKED], NOW - 60_001)
    const stale = { ...honest, log, map: { index: 2, hashes: [ONE] } }
    const owner = { ...stale, hashes: [ONE, REVOKED] }
    expect(await findings({ owner, contact: stale, witness: stale }, [ONE, REVOKED])).toEqual({
      owner: 'expired',
      contact: 'expired',
      witness: null,
    })
  })

  it('whose next map is late is waited for', async () => {
    const log = logOf([ONE, [ONE], TWO], NOW - 60_001)
    const late: View = { ...honest, log, map: { index: 2, hashes: [ONE] } }
    const made = { ...honest, log: logOf([ONE, [ONE], TWO, [ONE]], NOW - 60_001), map: { index: 4, hashes: [ONE] } }
    let view = late
    const { transparency } = await clientOf(late, {
      fetch: async (...call: Parameters<Fetch>) => (await transportTo(view))(...call),
      sleep: async () => {
        view = made
      },
    })
    expect(await transparency.follow(alice.did)).toEqual(foldHead(EMPTY_HEAD, [ONE]))
    expect(view).toBe(made)
  })

  it('that keeps an update out of all maps is found by the owner and the witness', async () => {
    const log = logOf([ONE, REVOKED, [ONE]])
    const view = { ...honest, log, map: { index: 3, hashes: [ONE] }, hashes: [ONE, REVOKED] }
    expect(await findings(all(view), [ONE, REVOKED])).toEqual({
      owner: 'left_out',
      contact: null,
      witness: 'wrong_map',
    })
  })

  it('that takes back what it showed an owner is found by the watch, with its signed answer as evidence', async () => {
    const replacing = logOf([ONE, TWO, [ONE, TWO], [ONE]])
    const logged = { ...honest, log: replacing, map: { index: 3, hashes: [ONE, TWO] }, hashes: [ONE, TWO] }
    const taken = { ...logged, map: { index: 4, hashes: [ONE] } }
    const { news, reason, evidence } = await watchFinds(logged, taken)
    expect(news).toEqual([foldHead(EMPTY_HEAD, [ONE, TWO])])
    expect(reason).toBe('left_out')
    expect(evidence).toMatchObject({ label: LABEL, seq: 1, checkpoint: { statement: { size: 5 } } })
  })

  it('that keeps an update out of the log is found by the owner', async () => {
    expect(await findings({ ...all(honest), owner: { ...honest, hashes: [ONE, REVOKED] } }, [ONE, REVOKED])).toEqual({
      ...NOTHING,
      owner: 'left_out',
    })
  })
})
