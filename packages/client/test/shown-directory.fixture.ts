/** What a directory shows: a log of updates and maps of Alice, its answers, and a client that gets them. */
import { statementHash } from '@svc/protocol/base/statement'
import { mapLine, valueFor } from '@svc/protocol/keys/account-map'
import { EMPTY_HEAD, foldHead, leafIdOf, updateLine } from '@svc/protocol/keys/account-updates'
import type { SignedCosignature } from '@svc/protocol/keys/cosignature'
import type { AccountUpdate, DevicePackage } from '@svc/protocol/keys/directory'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
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
import { Client } from '../src/client.ts'
import { accountProofs } from './lies/mapped-log.ts'
import { deviceOf, LABEL, PROVED, published, revocationOf } from './lies/published.ts'
import { data, fetchIn, keyAnswers, NOW } from './lies/situation.ts'
import { REALM } from './realm.ts'
import { alice, mallory } from './sides.ts'

const NAME = `${REALM}/transparency/2027a`
const BASE = '/api/transparency'
export const LIST_KEYS = keysOf(listSigners)
export const device = await deviceOf(3)
export const first = await published(device)
export const second = await published(device, { version: 2, seq: 2 })
export const revocation = revocationOf(first)
const hashOf = (found: DevicePackage) => statementHash(found.credential.statement)
export const [ONE, TWO, REVOKED] = [hashOf(first), hashOf(second), statementHash(revocation)]

export const shownWhole = (found: DevicePackage): AccountUpdate => ({
  seq: found.seq,
  leafId: found.leafId,
  package: found,
  revocation: null,
  statement: null,
})
export const shownBare = (seq: number, statement: { readonly type: string }): AccountUpdate => ({
  seq,
  leafId: leafIdOf(LABEL, statementHash(statement)),
  package: null,
  revocation: null,
  statement,
})

/** What a directory shows one party. */
export interface View {
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
export function logOf(entries: readonly (string | readonly string[])[], at = NOW): FixtureLog {
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
  const path = mapOf(map.hashes).path(LABEL)
  return {
    ...keyAnswers(alice, mallory),
    [`${BASE}/logs`]: data({ list, earlier: [] }),
    [`${BASE}/checkpoint`]: data({ checkpoint, cosignatures }),
    [`${BASE}/entries/0`]: data({ log: NAME, from: 0, entries: log.lines, size: log.lines.length }),
    ...accountProofs(`${BASE}/proof/`, {
      ...PROVED,
      result: map.hashes.length > 0 ? 'present' : 'absent',
      ...valueFor(LABEL, path.terminal),
      ...path,
      map: {
        leaf: log.lines[map.index] ?? '',
        position: { log: NAME, index: map.index },
        proof: log.inclusion(map.index),
      },
      checkpoint,
    }),
    [`${BASE}/audit/${LABEL}`]: (query: URLSearchParams) => {
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

export const transportTo = async (view: View) => {
  const answers = await answersOf(view)
  return fetchIn({ answers: () => answers, args: () => [] })
}
export const clientOf = async (view: View, options: object = {}) =>
  new Client({
    core: REALM,
    did: 'https://did.test',
    keys: 'https://keys.test',
    logListKeys: LIST_KEYS,
    reservationKeyB64u: alice.publicKeyB64u,
    mapPatience: { attempts: 2, pauseMs: 1 },
    now: () => NOW,
    fetch: await transportTo(view),
    ...options,
  })
