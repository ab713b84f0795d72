import { mapLine, valueFor } from '@svc/protocol/keys/account-map'
import { type UpdateEntry, updateLine } from '@svc/protocol/keys/account-updates'
import { AccountMap } from '@svc/protocol/keys/map-in-memory'
import type { AccountAnswer } from '@svc/protocol/keys/transparency'
import type { LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { type FixtureLog, rolledLog } from '@svc/protocol/merkle/rolled-log.fixture'
import { REALM } from '../realm.ts'
import { alice, mallory } from '../sides.ts'
import { LABEL, PROVED } from './published.ts'
import { data, NOW, signedBy } from './situation.ts'

/** An update by the hash of its statement; a key agreement has its time as well. */
export type Logged = string | Pick<UpdateEntry, 'statementHash' | 'agreedAt'>

const updateOf = (logged: Logged, i: number) => ({
  label: LABEL,
  seq: i + 1,
  ...(typeof logged === 'string' ? { statementHash: logged } : logged),
})

/** The map of the first updates of Alice, as the entry `index` of a log. */
export function mapEntry(updates: readonly Logged[], index: number, at = NOW) {
  const map = new AccountMap()
  map.count(updates.map(updateOf))
  return { map, line: mapLine({ size: index, root: map.root, epoch: 1, at }) }
}

/** What a directory proves of Alice, from a map at a place of its log. */
export async function accountIn(log: FixtureLog, updates: readonly Logged[], index: number): Promise<AccountAnswer> {
  const path = mapEntry(updates, index).map.path(LABEL)
  return {
    ...PROVED,
    result: updates.length === 0 ? 'absent' : 'present',
    ...valueFor(LABEL, path.terminal),
    ...path,
    map: { leaf: log.lines[index] ?? '', position: { log: log.log, index }, proof: log.inclusion(index) },
    checkpoint: (await log.checkpoint()) as AccountAnswer['checkpoint'],
  }
}

/** A log with these updates of Alice and the map of the first `counted` of them, and what the map proves. */
export async function mappedLog(
  updates: readonly Logged[],
  { counted = updates.length, at = NOW, after = [] as readonly string[] } = {},
) {
  const lines = updates.map((logged, i) => updateLine(updateOf(logged, i)))
  const index = 1 + counted
  const { line } = mapEntry(updates.slice(0, counted), index, at)
  const entries = [...lines.slice(0, counted), line, ...lines.slice(counted), ...after]
  const { first: closed, second: log, list } = await rolledLog('transparency', [[], entries])
  return { closed, log, list, account: await accountIn(log, updates.slice(0, counted), index) }
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
