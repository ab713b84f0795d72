import { mapLine } from '@svc/protocol/keys/account-map'
import { EMPTY_HEAD, foldHead, updateLine } from '@svc/protocol/keys/account-updates'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import type { AccountAnswer } from '@svc/protocol/keys/transparency'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { type FixtureLog, rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { LABEL, PROVED } from './published.ts'
import { data, NOW, signedBy } from './situation.ts'

const updateOf = (statementHash: string, i: number) => ({ label: LABEL, seq: i + 1, statementHash })

/** The map of the first updates of Alice, as the entry `index` of a log. */
export function mapEntry(hashes: readonly string[], index: number, at = NOW) {
  const map = new AccountMap()
  map.count(hashes.map(updateOf))
  return { map, line: mapLine({ size: index, root: map.root, epoch: 1, at }) }
}

/** What a directory proves of Alice, from a map at a place of its log. */
export async function accountIn(log: FixtureLog, hashes: readonly string[], index: number): Promise<AccountAnswer> {
  const { map } = mapEntry(hashes, index)
  return {
    ...PROVED,
    result: hashes.length === 0 ? 'absent' : 'present',
    ...foldHead(EMPTY_HEAD, hashes),
    ...map.path(LABEL),
    map: { leaf: log.lines[index] ?? '', position: { log: log.log, index }, proof: log.inclusion(index) },
    checkpoint: (await log.checkpoint()) as AccountAnswer['checkpoint'],
  }
}

/** A log with these updates of Alice and the map of the first `counted` of them, and what the map proves. */
export async function mappedLog(
  hashes: readonly string[],
  { counted = hashes.length, at = NOW, after = [] as readonly string[] } = {},
) {
  const lines = hashes.map((hash, i) => updateLine(updateOf(hash, i)))
  const index = 1 + counted
  const { line } = mapEntry(hashes.slice(0, counted), index, at)
  const entries = [...lines.slice(0, counted), line, ...lines.slice(counted), ...after]
  const { first: closed, second: log, list } = await rolledLog('transparency', [[], entries])
  return { closed, log, list, account: await accountIn(log, hashes.slice(0, counted), index) }
}

/** A cosignature of Mallory, who is a witness here. */
export async function cosigned(checkpoint: LogCheckpoint, realm = REALM, changes: object = {}, by = mallory) {
  const { log, size, root } = checkpoint.statement
  const { userId: witness, publicKeyB64u } = by
  const statement = { type: 'svc/transparency-cosignature/v1', realm, log, size, root, witness, verifies: 'log' }
  return { ...(await signedBy(by, { ...statement, issuedAt: NOW, ...changes })), publicKeyB64u }
}

/** The account by its DID, with the proof of its label, and by its label, without. */
export function accountProofs(
  base: string,
  { labelProofB64u, ...answer }: Omit<AccountAnswer, 'checkpoint'> & { readonly checkpoint: LogCheckpoint },
) {
  return { [`${base}${alice.did}`]: data({ labelProofB64u, ...answer }), [`${base}${LABEL}`]: data(answer) }
}
